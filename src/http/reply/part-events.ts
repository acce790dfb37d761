import type { OutgoingEvent, EventStream } from './reply.ts'

/** The end marker of a UI message stream. */
export const CHAT_END: OutgoingEvent = { data: '[DONE]' }

/** The parts of an answer as events, numbered from 1. */
export async function* partEvents(
  parts: AsyncGenerator,
  end: OutgoingEvent | undefined,
): AsyncGenerator<OutgoingEvent> {
  let seq = 0
  for await (const part of parts) yield { seq: ++seq, data: JSON.stringify(part) }
  if (end) yield end
}

/** The events of an answer, which ends when the client disconnects or the server stops. */
export async function streamed(
  request: AbortSignal,
  start: (signal: AbortSignal) => Promise<AsyncGenerator>,
  end?: OutgoingEvent,
): Promise<EventStream> {
  const abort = new AbortController()
  const parts = await start(AbortSignal.any([request, abort.signal]))
  return { events: partEvents(parts, end), abort }
}
