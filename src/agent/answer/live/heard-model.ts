import type { ModelObject } from '../../model-object.ts'
import type { ModelPart } from '../../models/traced-messages.ts'
import { AnswerCollector, type RecordedAnswer } from '../journal/recorded-answer.ts'
import type { PartListener } from './part-listener.ts'

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: unknown): PromiseLike<RecordedAnswer>
  doStream(options: unknown): PromiseLike<{
    readonly stream: ReadableStream<ModelPart>
    readonly request?: unknown
    readonly response?: object
  }>
}

/**
 * Wraps a model so that a call of `doGenerate` for which somebody listens is streamed. Each text of each call has an id of
 * its own: a call that is repeated after an error begins a new text.
 */
export function heardModel(
  model: ModelObject,
  listener: PartListener,
  of: { readonly agentId: string; readonly runId: string },
): ModelObject {
  const inner = model as unknown as Model
  let calls = 0
  const heard: Model = {
    doGenerate: (options) => {
      if (!listener.wants('text')) return inner.doGenerate(options)
      const call = ++calls
      return generateHeard(inner, options, (id, text) =>
        listener.send({ kind: 'text', ...of, id: `${of.runId}:${call}:${id}`, text }),
      )
    },
    doStream: (options) => inner.doStream(options),
  }
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return { specificationVersion, provider, modelId, supportedUrls, ...heard }
}

async function generateHeard(
  model: Model,
  options: unknown,
  onText: (id: string, text: string) => void,
): Promise<RecordedAnswer> {
  const { stream, request, response } = await model.doStream(options)
  const collected = new AnswerCollector()
  for await (const part of stream) {
    if (part.type === 'error') throw part['error']
    if (part.type === 'finish') {
      const answer = collected.answer(part)
      return { ...answer, request, response: { ...response, ...answer.response } } as RecordedAnswer
    }
    collected.add(part)
    if (part.type === 'text-delta' && part['delta'] !== '') onText(String(part['id']), String(part['delta']))
  }
  throw new Error('The stream of the model ended before its answer was complete')
}
