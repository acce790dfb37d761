/**
 * A language model object of the AI SDK, whichever version of its specification (`LanguageModelV2` and later). Declared by
 * its shape, so that projects without the package `ai` compile.
 */
export interface ModelObject {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: unknown
  doGenerate(options: never): PromiseLike<unknown>
  doStream(options: never): PromiseLike<unknown>
}

/** The providers that a model name can have. */
export type ProviderName = 'openai' | 'anthropic' | 'google' | 'ollama'

/** A model by its name, such as `openai/gpt-4.1-mini`. */
export type ModelName = `${ProviderName}/${string}`

/** A model object of the AI SDK, or `'provider/model'`. */
export type AgentModel = ModelObject | ModelName

/** A model, or several: the next one is called when a provider is unavailable. */
export type AgentModels = AgentModel | readonly AgentModel[]
