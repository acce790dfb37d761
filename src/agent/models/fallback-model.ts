import type * as Ai from 'ai'
import type { ModelObject } from '../model-object.ts'
import { isProviderDown } from './provider-error.ts'
import type { LoadedModel } from './load-model.ts'
import type { ModelPart } from './traced-messages.ts'

/** The number of times that the AI SDK retries a call of a model. */
export const MAX_MODEL_RETRIES = 2

interface Call {
  readonly abortSignal?: AbortSignal
}

interface Streamed {
  readonly stream: ReadableStream<ModelPart>
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(call: Call): PromiseLike<unknown>
  doStream(call: Call): PromiseLike<Streamed>
}

interface FallbackOptions {
  readonly ai: typeof Ai
  /** Called when a model is unavailable, before the next one is called. */
  readonly onFallback: (next: LoadedModel, error: unknown, failed: LoadedModel) => void
}

/**
 * Several models as one: when the provider of one is unavailable after the AI SDK's retries, the call goes to the next,
 * and so do later calls of the answer. A stream changes the model only before its first chunk.
 */
export class FallbackModel {
  readonly #models: readonly LoadedModel[]
  readonly #options: FallbackOptions
  #index = 0
  /** The calls since the last one that succeeded: the first and the AI SDK's retries. */
  #attempts = 0

  /** @param models at least one. */
  constructor(models: readonly LoadedModel[], options: FallbackOptions) {
    this.#models = sameVersion(models, options.ai)
    this.#options = options
  }

  /** The model that answered last, or is called next. */
  get current(): LoadedModel {
    return this.#models[this.#index] as LoadedModel
  }

  /** The model for the AI SDK. */
  get model(): ModelObject {
    if (this.#models.length === 1) return this.current.model
    const { specificationVersion, provider, modelId, supportedUrls } = this.current.model
    const sameProvider = this.#models.every(({ model }) => model.provider === provider)
    return {
      specificationVersion,
      provider,
      modelId,
      // files that one of the providers can't download itself are downloaded by the AI SDK
      supportedUrls: sameProvider ? supportedUrls : {},
      doGenerate: (call: Call) => this.#call(call, (model) => model.doGenerate(call)),
      doStream: (call: Call) => this.#call(call, async (model) => started(await model.doStream(call))),
    }
  }

  async #call<T>({ abortSignal }: Call, ask: (model: Model) => PromiseLike<T>): Promise<T> {
    this.#attempts++
    for (;;) {
      try {
        const answer = await ask(this.current.model as unknown as Model)
        this.#attempts = 0
        return answer
      } catch (error) {
        abortSignal?.throwIfAborted()
        if (!this.#changesAfter(error)) throw error
      }
    }
  }

  /** Goes to the next model, if the AI SDK does not call this one again. */
  #changesAfter(error: unknown): boolean {
    const { ai, onFallback } = this.#options
    if (!isProviderDown(error, ai)) return false
    const isRetried = ai.APICallError.isInstance(error) && error.isRetryable
    if (isRetried && this.#attempts <= MAX_MODEL_RETRIES) return false
    const [failed, next] = [this.current, this.#models[this.#index + 1]]
    if (!next) return false
    this.#index++
    onFallback(next, error, failed)
    return true
  }
}

/** Models of different versions of the specification become the AI SDK's own. */
export function sameVersion(models: readonly LoadedModel[], ai: typeof Ai): readonly LoadedModel[] {
  const versions = new Set(models.map(({ model }) => model.specificationVersion))
  if (versions.size === 1) return models
  return models.map((loaded) => {
    const { specificationVersion, modelId } = loaded.model
    const provider = { specificationVersion, languageModel: () => loaded.model }
    const wrapped = ai.wrapProvider({ provider: provider as never, languageModelMiddleware: [] })
    return { ...loaded, model: wrapped.languageModel(modelId) }
  })
}

const BEFORE_CONTENT = new Set(['stream-start', 'response-metadata', 'raw', 'text-start', 'reasoning-start'])

/** Waits for the first chunk of a stream. Throws its error when there is none. */
async function started(streamed: Streamed): Promise<Streamed> {
  const reader = streamed.stream.getReader()
  const first: ModelPart[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (value.type === 'error') {
      await reader.cancel()
      throw value['error']
    }
    first.push(value)
    if (!BEFORE_CONTENT.has(value.type)) break
  }
  const stream = new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        const part = first.shift()
        if (part) return controller.enqueue(part)
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { ...streamed, stream }
}
