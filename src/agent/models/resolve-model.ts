import type { ModelObject } from '../model-object.ts'
import { demoModel } from './demo/demo-model.ts'
import { chooseModel, type ModelChoice, type ModelSettings } from './model-choice.ts'
import { isProviderName, PROVIDERS } from './model-provider.ts'

/** A model ready to answer. */
export interface ResolvedModel extends ModelChoice {
  readonly model: ModelObject
}

export interface ResolveOptions extends ModelSettings {
  /** Where the project's packages are looked for. */
  readonly projectDir: string
}

/**
 * The model that answers for an agent, in the order of {@link chooseModel}.
 *
 * @throws AppError `unavailable` when there is none, its key or its package is missing; `invalid_config` when
 *   its name is malformed.
 */
export async function resolveModel(
  model: ModelObject | string | undefined,
  options: ResolveOptions,
): Promise<ResolvedModel> {
  const choice = chooseModel(model, options)
  if (typeof model === 'object') return { ...choice, model }
  const { provider, modelId } = choice
  if (!isProviderName(provider)) return { ...choice, model: demoModel() }
  return { ...choice, model: await PROVIDERS[provider].load(modelId, options) }
}
