import { once } from 'node:events'
import type * as Ai from 'ai'
import type { ModelObject } from '../../agent/model-object.ts'
import { AnswerCollector, answerRecord, toParts } from '../../agent/answer/journal/recorded-answer.ts'
import type { RecordedAnswer } from '../../agent/answer/journal/recorded-answer.ts'
import type { ModelPart } from '../../agent/models/traced-messages.ts'
import type { ModelCallOptions } from './call-record.ts'
import { errorOutcome, recordedError } from './call-outcome.ts'
import type { CallOutcome } from './call-outcome.ts'

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: ModelCallOptions): PromiseLike<RecordedAnswer>
  doStream(options: ModelCallOptions): PromiseLike<{ readonly stream: ReadableStream<ModelPart> }>
}

/** Called at the start of a call; the returned function at its end. */
export type StartRecording = (options: ModelCallOptions) => (outcome: CallOutcome) => void

/** Wraps a model so that the outcomes of its calls are recorded. */
export function recordingModel(model: ModelObject, start: StartRecording): ModelObject {
  const inner = model as unknown as Model
  const failed = ({ abortSignal }: ModelCallOptions, error: unknown): CallOutcome =>
    abortSignal?.aborted === true ? { aborted: true } : errorOutcome(error)
  return withMethods(model, {
    doGenerate: async (options) => {
      const end = start(options)
      try {
        const answer = await inner.doGenerate(options)
        end(answerOutcome(answer))
        return answer
      } catch (error) {
        end(failed(options, error))
        throw error
      }
    },
    doStream: async (options) => {
      const end = start(options)
      try {
        const streamed = await inner.doStream(options)
        const collector = new AnswerCollector()
        const observe = (part: ModelPart) => {
          collector.add(part)
          if (part.type === 'error') end(failed(options, part['error']))
          if (part.type === 'finish') end(answerOutcome(collector.answer(part)))
        }
        const onError = (error: unknown) => end(failed(options, error))
        return { ...streamed, stream: observed(streamed.stream, { observe, onError }) }
      } catch (error) {
        end(failed(options, error))
        throw error
      }
    },
  })
}

/** A model that is not called: the outcomes of its calls are those that were recorded. */
export function replayedModel(
  model: ModelObject,
  next: (options: ModelCallOptions) => Promise<CallOutcome>,
  ai: typeof Ai,
): ModelObject {
  const answer = async (options: ModelCallOptions): Promise<RecordedAnswer> => {
    options.abortSignal?.throwIfAborted()
    const outcome = await next(options)
    if ('aborted' in outcome) return untilAborted(options.abortSignal)
    if ('error' in outcome) throw recordedError(outcome.error, ai)
    return outcome.answer
  }
  return withMethods(model, {
    doGenerate: answer,
    doStream: async (options) => ({ stream: ReadableStream.from(toParts(await answer(options))) }),
  })
}

/** An answer without what is another one each time: the id of the response, and its time. */
function answerOutcome(answer: RecordedAnswer): CallOutcome {
  const { response, ...record } = answerRecord(answer) as RecordedAnswer
  const { modelId } = response ?? {}
  return {
    answer: {
      ...record,
      content: [...record.content],
      ...(modelId !== undefined && { response: { modelId } }),
    },
  }
}

function withMethods(
  { specificationVersion, provider, modelId, supportedUrls }: ModelObject,
  methods: Model,
): ModelObject {
  return { specificationVersion, provider, modelId, supportedUrls, ...methods }
}

/** Waits as long as the caller does, such as the loser of a race. */
async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) throw new Error('The recorded call was aborted')
  signal.throwIfAborted()
  await once(signal, 'abort')
  throw signal.reason
}

interface StreamObserver {
  readonly observe: (part: ModelPart) => void
  readonly onError: (error: unknown) => void
}

function observed(
  stream: ReadableStream<ModelPart>,
  { observe, onError }: StreamObserver,
): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          observe(value)
          controller.enqueue(value)
        } catch (error) {
          onError(error)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
