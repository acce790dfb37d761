import type { Usage } from '../../../contract/agent-event.ts'
import type { ModelObject } from '../../model-object.ts'
import type { ModelPart } from '../../models/traced-messages.ts'
import {
  AnswerCollector,
  recalledAnswer,
  toParts,
  answerRecord,
  callsTools,
  usageOfAnswer,
} from './recorded-answer.ts'
import type { RecordedAnswer } from './recorded-answer.ts'
import type { RecordedCalls } from './recorded-calls.ts'

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: unknown): PromiseLike<RecordedAnswer>
  doStream(options: unknown): PromiseLike<{ readonly stream: ReadableStream<ModelPart> }>
}

interface Recorded {
  readonly calls: RecordedCalls
  /** The number of the model's calls before the answer waited for people. */
  readonly earlier: number
  /** Called with the usage of each recorded answer. */
  readonly onRecalled: (usage: Usage) => void
}

/**
 * Wraps a model so that each answer is recorded before its tools are called, and recorded answers are not requested
 * again.
 */
export function journaledModel(model: ModelObject, { calls, earlier, onRecalled }: Recorded): ModelObject {
  const inner = model as unknown as Model
  let answers = earlier
  const recalled = (): RecordedAnswer | undefined => {
    const value = calls.answer(answers + 1)
    if (value === undefined) return undefined
    answers++
    const answer = recalledAnswer(value)
    const usage = usageOfAnswer(answer)
    if (usage) onRecalled(usage)
    return answer
  }
  const record = async (answer: RecordedAnswer) => {
    await calls.recordAnswer(answers + 1, answerRecord(answer), !callsTools(answer))
    answers++
  }
  const journaled: Model = {
    doGenerate: async (options) => {
      const known = recalled()
      if (known) return known
      const answer = await inner.doGenerate(options)
      await record(answer)
      return answer
    },
    doStream: async (options) => {
      const known = recalled()
      if (known) return { stream: ReadableStream.from(toParts(known)) }
      const streamed = await inner.doStream(options)
      return { ...streamed, stream: recordStream(streamed.stream, record) }
    },
  }
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return { specificationVersion, provider, modelId, supportedUrls, ...journaled }
}

/**
 * Forwards a stream, and records the answer with its last part. Tool calls are held back until then: a tool must not be
 * called by an answer that is requested again after a crash.
 */
function recordStream(
  stream: ReadableStream<ModelPart>,
  record: (answer: RecordedAnswer) => Promise<void>,
): ReadableStream<ModelPart> {
  const answer = new AnswerCollector()
  const held: ModelPart[] = []
  return stream.pipeThrough(
    new TransformStream<ModelPart, ModelPart>(
      {
        async transform(part, controller) {
          answer.add(part)
          if (part.type === 'finish') await record(answer.answer(part))
          const isLast = part.type === 'finish' || part.type === 'error'
          if (!isLast && (part.type === 'tool-call' || held.length > 0)) return void held.push(part)
          for (const each of held.splice(0)) controller.enqueue(each)
          controller.enqueue(part)
        },
      },
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    ),
  )
}
