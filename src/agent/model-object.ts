/**
 * A language model object of the AI SDK, whichever version of its specification (`LanguageModelV2` and later). Declared by
 * its shape, so that projects without the package `ai` compile.
 */
export interface ModelObject {
  /** Version of the AI SDK's model specification. */
  readonly specificationVersion: string
  /** Provider of the model. */
  readonly provider: string
  /** Id of the model at its provider. */
  readonly modelId: string
  /** URLs that the model reads by itself. */
  readonly supportedUrls: unknown
  /** Calls the model. */
  doGenerate(options: never): PromiseLike<unknown>
  /** Calls the model, and streams its answer. */
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
