import type { ObjectTextPart } from '../../agent/answer/formats/object-text-format.ts'
import { AppError } from '../../lib/errors.ts'
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

/**
 * The JSON of an object as it is generated.
 *
 * @throws AppError `execution_failed` when the answer failed, waits, or is not what was sent: the text breaks off, as what
 *   has been sent can't be changed.
 */
export async function* objectText(parts: AsyncGenerator<ObjectTextPart>): AsyncGenerator<OutgoingEvent> {
  let wasSent = false
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        wasSent = true
        yield { data: part.text }
        break
      case 'restart':
        if (wasSent) throw new AppError('execution_failed', 'The model has begun another object')
        break
      case 'finish':
        if (part.missing !== undefined) throw new AppError('execution_failed', part.missing)
        if (!wasSent) yield { data: JSON.stringify(part.object) }
        break
      case 'error':
        throw new AppError('execution_failed', part.error)
      case 'abort':
        throw new AppError('unavailable', 'The answer was aborted')
    }
  }
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
