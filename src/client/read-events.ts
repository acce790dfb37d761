import { createParser } from 'eventsource-parser'

/** One message of a Server-Sent Events stream. */
export interface SseMessage {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

/** Ends the AI SDK's UI message streams. */
const DONE = '[DONE]'

/** Messages of a Server-Sent Events stream, in order. The stream is cancelled when the iteration stops early. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const messages: SseMessage[] = []
  const parser = createParser({ onEvent: (message) => messages.push(message) })
  const decoder = new TextDecoder()
  // not `for await` over the body: Safari has no async iterator for streams
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      parser.feed(done ? decoder.decode() : decoder.decode(value, { stream: true }))
      for (const message of messages.splice(0)) yield message
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Events of a Server-Sent Events stream whose data is a JSON object, each with its `id` as `sequence` (0 without
 * one). The request is sent with the first read and aborted when the iteration stops early.
 */
export async function* readEvents<T extends object>(
  send: () => Promise<Response>,
): AsyncGenerator<
  T & {
    /** Sequence number of the event. */
    readonly sequence: number
  }
> {
  const { body } = await send()
  if (!body) return
  for await (const { id = '0', data } of readMessages(body)) {
    if (data !== '' && data !== DONE) yield { ...(JSON.parse(data) as T), sequence: Number(id) }
  }
}
