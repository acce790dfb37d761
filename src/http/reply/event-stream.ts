import type { EventStream, HeaderRecord } from './reply.ts'

/** Headers of every event stream. */
export const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // stops proxies such as nginx from buffering events
  'X-Accel-Buffering': 'no',
}

/** Headers of a stream of text that differ. */
export const TEXT_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8' }

/** Below the idle time-outs of proxies, which are 30 s and more. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = ': keep-alive\n\n'

/**
 * Encodes events as a Server-Sent Events body (WHATWG HTML, section 9.2). Events are pulled one by one, as fast
 * as the client reads. Of a stream of text, only their data is sent. A comment is sent after 15 seconds without an event.
 *
 * @param disconnect closes the connection of a client whose stream of text fails; `false` without a connection
 * @param onClose called when the stream has ended, failed, or the client has disconnected
 */
export function eventStreamBody(
  { events, abort, isText }: EventStream,
  onClose: () => void,
  disconnect?: () => boolean,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: ReturnType<typeof events.next> | undefined
  const close = () => {
    abort.abort()
    onClose()
    // lets the generator run its clean-up although its last event was not read
    events.return(undefined).catch(() => undefined)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          next ??= events.next()
          const result = await (isText ? next : withHeartbeat(next))
          if (result === HEARTBEAT) return controller.enqueue(encoder.encode(HEARTBEAT))
          next = undefined
          if (result.done) {
            controller.close()
            return onClose()
          }
          const { seq, event, data } = result.value
          if (isText) return controller.enqueue(encoder.encode(data))
          const fields = `${seq === undefined ? '' : `id: ${seq}\n`}${event === undefined ? '' : `event: ${event}\n`}`
          controller.enqueue(encoder.encode(`${fields}data: ${data}\n\n`))
        } catch (error) {
          close()
          // text has no end that says that it failed
          if (!isText || !disconnect?.()) throw error
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}

async function withHeartbeat<T>(next: Promise<T>): Promise<T | typeof HEARTBEAT> {
  let timer: NodeJS.Timeout | undefined
  const heartbeat = new Promise<typeof HEARTBEAT>((resolve) => {
    timer = setTimeout(() => resolve(HEARTBEAT), HEARTBEAT_MS)
    timer.unref()
  })
  try {
    return await Promise.race([next, heartbeat])
  } finally {
    clearTimeout(timer)
  }
}

interface StreamOwner {
  /** Aborts it when the server stops. */
  readonly openStreams: Set<AbortController>
  readonly headers?: HeaderRecord | undefined
}

/** The response of another protocol that streams events. */
export function eventStreamResponse(stream: EventStream, { openStreams, headers }: StreamOwner): Response {
  openStreams.add(stream.abort)
  const body = eventStreamBody(stream, () => openStreams.delete(stream.abort))
  return new Response(body, { headers: { ...EVENT_HEADERS, ...headers } })
}
