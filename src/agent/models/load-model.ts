import type { ModelObject } from '../model-object.ts'
import { demoModel } from './demo/demo-model.ts'
import type { ModelChoice } from './model-choice.ts'
import { isProviderName, type LoadOptions, PROVIDERS } from './model-provider.ts'

/** A chosen model with the object that calls it. */
export interface LoadedModel extends ModelChoice {
  readonly model: ModelObject
}

/**
 * Loads the model that {@link chooseModel} chose for `declared`, the `model` option of an agent.
 *
 * @throws AppError `unavailable` when the key or the package of its provider is missing; `invalid_config` when an
 *   environment variable of the provider is malformed.
 */
export async function loadModel(
  choice: ModelChoice,
  declared: ModelObject | string | undefined,
  options: LoadOptions,
): Promise<LoadedModel> {
  if (typeof declared === 'object') return { ...choice, model: declared }
  const { provider, modelId } = choice
  if (!isProviderName(provider)) return { ...choice, model: demoModel() }
  return { ...choice, model: await PROVIDERS[provider].load(modelId, options) }
}
