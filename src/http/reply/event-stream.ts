import type { EventStream } from './reply.ts'

/** Sent with every event stream. */
export const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  // proxies such as nginx would hold events back
  'X-Accel-Buffering': 'no',
}

const HEARTBEAT_MS = 15_000
const HEARTBEAT = ': keep-alive\n\n'

/**
 * Events as a Server-Sent Events body (WHATWG HTML, section 9.2). The reader pulls: nothing is
 * read ahead for one that does not. A comment is sent when nothing happened for 15 seconds.
 */
export function eventStreamBody(
  { events, abort }: EventStream,
  onClose: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: ReturnType<typeof events.next> | undefined
  const close = () => {
    abort.abort()
    onClose()
    // lets the source clean up behind an event that nobody came back for
    events.return(undefined).catch(() => undefined)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          next ??= events.next()
          const result = await orHeartbeat(next)
          if (result === HEARTBEAT) return controller.enqueue(encoder.encode(HEARTBEAT))
          next = undefined
          if (result.done) {
            controller.close()
            return onClose()
          }
          const { seq, data } = result.value
          controller.enqueue(encoder.encode(`${seq === undefined ? '' : `id: ${seq}\n`}data: ${data}\n\n`))
        } catch (error) {
          close()
          throw error
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}

async function orHeartbeat<T>(next: Promise<T>): Promise<T | typeof HEARTBEAT> {
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
