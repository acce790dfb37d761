import { partEvents } from './part-events.ts'
import type { EventStream, OutgoingEvent } from './reply.ts'

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
