import type { Logger } from 'pino'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { ModelObject } from '../model-object.ts'
import { demoModel } from './demo/demo-model.ts'
import type { ModelChoice } from './model-choice.ts'
import { loadProviderModel } from './load-provider-model.ts'
import type { LoadOptions } from './load-provider-model.ts'
import { isProviderName, PROVIDERS } from './model-provider.ts'

/** A chosen model with the object that calls it. */
export interface LoadedModel extends ModelChoice {
  readonly model: ModelObject
}

interface LoadModelsOptions extends LoadOptions {
  readonly logger: Logger
  /** Whether the models are called. Default: yes; otherwise they need no keys and no packages. */
  readonly isCalled?: boolean
}

/**
 * Loads the chosen models of an agent. Of several, those whose key or package is missing are left out.
 *
 * @param declared the models of the agent; empty when the environment chose the only one.
 * @throws AppError as {@link loadModel} does, for the first one when none is left.
 */
export async function loadModels(
  choices: readonly ModelChoice[],
  declared: readonly (ModelObject | string)[],
  { logger, isCalled = true, ...options }: LoadModelsOptions,
): Promise<LoadedModel[]> {
  const results = await Promise.allSettled(
    choices.map((choice, index) =>
      isCalled
        ? loadModel(choice, declared[index], options)
        : describedModel(choice, declared[index], options),
    ),
  )
  const loaded = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const fatal = errors.find((error) => !(error instanceof AppError && error.code === 'unavailable'))
  if (fatal !== undefined || loaded.length === 0) throw fatal ?? errors[0]
  for (const error of errors) logger.warn(`${messageOf(error)}. Calling the next model instead`)
  return loaded
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
  return { ...choice, model: await loadProviderModel(provider, modelId, options) }
}

/** A model that is not called. It accepts the same files as the one that would be, if that can be found out. */
async function describedModel(
  choice: ModelChoice,
  declared: ModelObject | string | undefined,
  { env, projectDir }: LoadOptions,
): Promise<LoadedModel> {
  const { provider, modelId } = choice
  const key = isProviderName(provider) ? { [PROVIDERS[provider].variable]: 'not-called' } : {}
  try {
    return await loadModel(choice, declared, { env: { ...key, ...env }, projectDir })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const model = {
      specificationVersion: 'v3',
      supportedUrls: {},
      doGenerate: notCalled,
      doStream: notCalled,
    }
    return { ...choice, model: { ...model, provider, modelId } }
  }
}

function notCalled(): never {
  throw new Error('The model must not be called')
}
