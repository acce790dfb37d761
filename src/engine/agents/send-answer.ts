import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { AnswerStream } from '../../agent/answer/stream-answer.ts'
import { errorForCaller } from '../../agent/models/model-error.ts'
import { abortable, abortableItems } from '../../lib/async/abortable.ts'
import { AppError } from '../../lib/errors.ts'
import { runningMessagesOf } from './agent-memory.ts'
import { waitingAnswer } from './continuation.ts'
import { toolWaits } from './running-answer.ts'
import type { StartedAnswer } from './running-answer.ts'

/** The message that callers receive for an error of user code or a library. */
export const FAILED_MESSAGE = 'Agent execution failed'

interface SendOptions<Part> {
  readonly stream: AnswerStream
  readonly format: AnswerFormat<Part>
  /** In production, errors of providers are not for callers. */
  readonly production: boolean
}

/** The parts of an answer, which is recorded before the last one. */
export async function* sendAnswer<Part>(
  started: StartedAnswer,
  { stream, format, production }: SendOptions<Part>,
): AsyncGenerator<Part> {
  const { answer } = started
  const ended = (failure?: unknown) => started.span.run(() => stream.end(failure))
  let end: Promise<Generated> | undefined
  let last: readonly Part[]
  try {
    let failure: unknown
    try {
      for await (const part of abortableItems(format.read(stream, answer), stream.signal)) yield part
    } catch (error) {
      failure = error
    }
    end = ended(failure)
    const generated = await abortable(end, answer.signal)
    await recordAnswer(started, generated)
    last = [format.finished(generated, answer)]
  } catch (error) {
    await (answer.signal.aborted ? answer.abort() : answer.fail(error))
    last = await partsAfter(started, format, errorForCaller(error, production))
  } finally {
    // a reader that disconnected stops the generator here; the agent's hooks still run
    end ??= ended()
    end.catch(() => undefined)
  }
  yield* last
}

/** The last parts of an answer that has ended without a result, or whose tool waits. */
async function partsAfter<Part>(
  { answer }: StartedAnswer,
  format: AnswerFormat<Part>,
  error: unknown,
): Promise<readonly Part[]> {
  if (!answer.signal.aborted) return [format.failed(publicMessage(error), error)]
  if (!answer.waiting || !toolWaits(answer.signal.reason)) return [format.aborted()]
  const generated = await answer.waiting()
  const parts = format.waiting?.(generated.pending?.waits ?? [], answer) ?? []
  return [...parts, format.finished(generated, answer)]
}

/** Records an answer that is complete, or waits. */
export async function recordAnswer({ answer, facts }: StartedAnswer, generated: Generated): Promise<void> {
  const waiting = waitingAnswer(generated)
  // whoever waits for the end of the run reads it
  answer.generated = generated
  if (waiting) await answer.suspend(generated, { ...facts, waiting })
  else await answer.complete(generated, runningMessagesOf(facts.runningMessages, generated))
}

/** The message that callers receive; the details are in the log. */
function publicMessage(error: unknown): string {
  return error instanceof AppError ? error.message : FAILED_MESSAGE
}
