import { declaredModel } from '../models/model-choice.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import type { FallbackModel } from '../models/fallback-model.ts'
import type { LoadedModel } from '../models/load-model.ts'
import type { AgentModel, AgentModels, ModelObject } from '../model-object.ts'
import { modelList } from '../resolve-agent.ts'

/** A model, or several as one. */
type Models = Pick<FallbackModel, 'model' | 'current'>

interface StepModelsDeps {
  /** Loads models that are declared. */
  readonly load: (models: readonly AgentModel[], choices: readonly ModelChoice[]) => Promise<Models>
  /** Called when another model answers than before. */
  readonly onModel: ((model: ModelChoice) => void) | undefined
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(call: unknown): PromiseLike<unknown>
  doStream(call: unknown): PromiseLike<unknown>
}

/** The models of an answer whose steps may have models of their own: as one, which changes between steps. */
export class StepModels {
  readonly #own: Models
  readonly #deps: StepModelsDeps
  /** The loaded ones. A model that was replaced by the next of its list stays so. */
  readonly #loaded: { readonly models: readonly AgentModel[]; readonly loaded: Promise<Models> }[] = []
  #chosen: Models

  constructor(own: Models, deps: StepModelsDeps) {
    this.#own = own
    this.#chosen = own
    this.#deps = deps
  }

  /** The model that answered last, or is called next. */
  get current(): LoadedModel {
    return this.#chosen.current
  }

  get model(): ModelObject {
    const model: Model = {
      doGenerate: (call) => (this.#chosen.model as unknown as Model).doGenerate(call),
      doStream: (call) => (this.#chosen.model as unknown as Model).doStream(call),
    }
    return { ...this.identity, ...model }
  }

  /** What the AI SDK reads of the model of the next step. */
  get identity() {
    const { specificationVersion, provider, modelId, supportedUrls } = this.#chosen.model
    return { specificationVersion, provider, modelId, supportedUrls }
  }

  /**
   * Chooses the model of the next step: the agent's own, unless another one is declared.
   *
   * @throws AppError `unavailable` when the key or the package of its provider is missing.
   */
  async choose(declared: AgentModels | undefined): Promise<void> {
    const before = this.current
    this.#chosen = declared === undefined ? this.#own : await this.#load(modelList(declared))
    if (this.current !== before) this.#deps.onModel?.(this.current)
  }

  #load(models: readonly AgentModel[]): Promise<Models> {
    const known = this.#loaded.find(
      (one) =>
        one.models.length === models.length && one.models.every((model, index) => model === models[index]),
    )
    if (known) return known.loaded
    const loaded = this.#deps.load(models, models.map(declaredModel))
    this.#loaded.push({ models, loaded })
    return loaded
  }
}
