import type { ModelObject } from '../model-object.ts'
import type { ModelPart } from '../models/traced-messages.ts'
import { guardedObjectParts, guardedTextParts } from './guarded-parts.ts'
import type { OutputCheck } from './output-check.ts'

interface Generated {
  readonly content: readonly ModelPart[]
}

interface Streamed {
  readonly stream: ReadableStream<ModelPart>
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(call: unknown): PromiseLike<Generated>
  doStream(call: unknown): PromiseLike<Streamed>
}

/**
 * Wraps a model so that its text passes the output guardrails before anything else receives it: the stream, the steps,
 * the history and the conversation have only what passed. Reasoning is left out.
 */
export function guardedModel(model: ModelObject, check: OutputCheck): ModelObject {
  const inner = model as unknown as Model
  const { specificationVersion, provider, modelId, supportedUrls } = model
  const guarded: Model = {
    doGenerate: async (call) => {
      const generated = await inner.doGenerate(call)
      return { ...generated, content: await guardContent(generated.content, check) }
    },
    doStream: async (call) => {
      const streamed = await inner.doStream(call)
      const reader = streamed.stream.getReader()
      const parts = check.isObject ? guardedObjectParts(reader, check) : guardedTextParts(reader, check)
      return { ...streamed, stream: streamOf(parts, reader) }
    },
  }
  return { specificationVersion, provider, modelId, supportedUrls, ...guarded }
}

/** The content of an answer, with the text that passes in place of its first text. */
async function guardContent(content: readonly ModelPart[], check: OutputCheck): Promise<ModelPart[]> {
  const shown = content.filter(({ type }) => !type.startsWith('reasoning'))
  const first = shown.find(({ type }) => type === 'text')
  if (!first) return shown
  const texts = shown.filter(({ type }) => type === 'text')
  const text = texts.map((part) => String(part['text'])).join('')
  const hasCalls = shown.some(({ type }) => type === 'tool-call')
  const whole = await (check.isObject && !hasCalls ? check.object(text) : check.text(text))
  const passed = hasCalls ? check.redactEnd(whole) : whole
  if (passed === text) return shown
  return shown.flatMap((part) => {
    if (part.type !== 'text') return [part]
    return part === first ? [{ ...part, text: passed }] : []
  })
}

function streamOf(
  parts: AsyncGenerator<ModelPart>,
  reader: ReadableStreamDefaultReader<ModelPart>,
): ReadableStream<ModelPart> {
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          // nobody reads the rest of a blocked answer
          reader.cancel(error).catch(() => undefined)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
