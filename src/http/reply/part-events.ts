import type { OutgoingEvent } from './reply.ts'

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
