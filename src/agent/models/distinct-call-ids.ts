import type { ModelObject } from '../model-object.ts'
import type { ModelMessageLike, ModelPart } from './traced-messages.ts'

interface Call {
  readonly prompt: readonly ModelMessageLike[]
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(call: Call): PromiseLike<{ readonly content: readonly ModelPart[] }>
  doStream(call: Call): PromiseLike<{ readonly stream: ReadableStream<ModelPart> }>
}

/**
 * Wraps a model so that the tool calls of an answer have distinct ids. The AI SDK finds calls by their ids: with the same
 * id for two, it would execute the arguments of one when a person approves those of the other.
 */
export function withDistinctCallIds(model: ModelObject): ModelObject {
  const inner = model as unknown as Model
  const { specificationVersion, provider, modelId, supportedUrls } = model
  const distinct: Model = {
    doGenerate: async (call) => {
      const generated = await inner.doGenerate(call)
      const ids = new CallIds(call)
      return { ...generated, content: generated.content.map((part) => ids.rename(part)) }
    },
    doStream: async (call) => {
      const streamed = await inner.doStream(call)
      return { ...streamed, stream: renamed(streamed.stream, new CallIds(call)) }
    },
  }
  return { specificationVersion, provider, modelId, supportedUrls, ...distinct }
}

function renamed(stream: ReadableStream<ModelPart>, ids: CallIds): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(ids.rename(value))
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The ids of the tool calls since the last message of the user. */
class CallIds {
  readonly #taken: Set<unknown>
  /** The new ids of inputs that are streamed, by the ids that the model gave them, in order. */
  readonly #open = new Map<unknown, string[]>()

  constructor({ prompt }: Call) {
    const answers = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
    const parts = answers.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    this.#taken = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part['toolCallId']] : [])))
  }

  rename(part: ModelPart): ModelPart {
    // the results of tools that the provider executes refer to their calls
    if (!part.type.startsWith('tool-') || part['providerExecuted'] === true) return part
    switch (part.type) {
      case 'tool-input-start': {
        const id = this.#next(part['id'])
        const open = this.#open.get(part['id'])
        if (open) open.push(id)
        else this.#open.set(part['id'], [id])
        return { ...part, id }
      }
      case 'tool-input-delta':
      case 'tool-input-end':
        return { ...part, id: this.#open.get(part['id'])?.at(-1) ?? part['id'] }
      case 'tool-call': {
        const { toolCallId } = part
        return { ...part, toolCallId: this.#open.get(toolCallId)?.shift() ?? this.#next(toolCallId) }
      }
      default:
        return part
    }
  }

  #next(given: unknown): string {
    let id = String(given)
    for (let count = 2; this.#taken.has(id); count++) id = `${String(given)}-${count}`
    this.#taken.add(id)
    return id
  }
}
