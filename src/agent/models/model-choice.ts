import type { ModelObject, ProviderName } from '../model-object.ts'
import { ModelError } from './model-error.ts'
import { isConfigured, isProviderName, PROVIDERS, readVariable } from './model-provider.ts'
import type { Environment } from './model-provider.ts'

/** The source of a model choice: the agent, an environment variable, or the default (`demo`). */
export type ModelOrigin =
  | 'agent'
  | 'AGENTSERVER_MODEL'
  | 'OPENAI_API_KEY'
  | 'ANTHROPIC_API_KEY'
  | 'GOOGLE_GENERATIVE_AI_API_KEY'
  | 'OLLAMA_HOST'
  | 'demo'

/** The model chosen for an agent. It is not loaded yet, and contains no secrets. */
export interface ModelChoice {
  /** `openai`, `anthropic`, `google`, `ollama` or `demo`, or the `provider` of a model object. */
  readonly provider: string
  readonly modelId: string
  readonly origin: ModelOrigin
}

export interface ModelSettings {
  readonly env: Environment
  /** In production the demo model is used only by agents that set it themselves. */
  readonly production: boolean
}

interface ParsedModelName {
  readonly provider: ProviderName
  readonly modelId: string
}

/** Parses `'provider/model'`. The model id may contain slashes. */
export function parseModelName(name: string): ParsedModelName | { readonly problem: string } {
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(slash, 0)).trim()
  const modelId = name.slice(slash + 1).trim()
  const known = Object.keys(PROVIDERS).join(', ')
  if (provider === '' || modelId === '') {
    const maker = slash === -1 ? makerOf(modelId) : undefined
    const fix = maker ? `. Did you mean "${maker}/${modelId}"?` : `, with one of the providers ${known}`
    return { problem: `"${name}" must have the form "provider/model"${fix}` }
  }
  if (!isProviderName(provider)) {
    return { problem: `"${name}" names an unknown provider; known ones are ${known}` }
  }
  return { provider, modelId }
}

/** The provider of a well-known family of models. */
function makerOf(modelId: string): ProviderName | undefined {
  if (/^(?:gpt-|chatgpt-|o\d)/.test(modelId)) return 'openai'
  if (modelId.startsWith('claude-')) return 'anthropic'
  return modelId.startsWith('gemini-') ? 'google' : undefined
}

/**
 * Chooses the model of an agent: its own, otherwise the first of `AGENTSERVER_MODEL`, `OPENAI_API_KEY`,
 * `ANTHROPIC_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY` and `OLLAMA_HOST` that is set and not a placeholder,
 * otherwise, outside production, the demo model.
 *
 * @throws AppError `unavailable` in production when none is set; `invalid_config` for a malformed name.
 */
export function chooseModel(model: ModelObject | string | undefined, settings: ModelSettings): ModelChoice {
  if (model !== undefined) return declaredModel(model)
  const named = readVariable(settings.env, 'AGENTSERVER_MODEL')
  if (named !== undefined) return chooseNamed(named, 'AGENTSERVER_MODEL')
  for (const provider of Object.keys(PROVIDERS).filter(isProviderName)) {
    const { variable, defaultModelId } = PROVIDERS[provider]
    if (isConfigured(provider, settings.env)) return { provider, modelId: defaultModelId, origin: variable }
  }
  if (settings.production) throw noModel()
  return { provider: 'demo', modelId: 'demo', origin: 'demo' }
}

/** The choice of a model that is declared. @throws AppError `invalid_config` for a malformed name. */
export function declaredModel(model: ModelObject | string): ModelChoice {
  if (typeof model === 'string') return chooseNamed(model, 'agent')
  return { provider: model.provider, modelId: model.modelId, origin: 'agent' }
}

/** Chooses the models of an agent, in the order in which they are called. */
export function chooseModels(
  models: readonly (ModelObject | string)[],
  settings: ModelSettings,
): ModelChoice[] {
  const declared = models.length === 0 ? [undefined] : models
  return declared.map((model) => chooseModel(model, settings))
}

function chooseNamed(name: string, origin: ModelOrigin): ModelChoice {
  const parsed = parseModelName(name)
  if (!('problem' in parsed)) return { ...parsed, origin }
  const subject = origin === 'agent' ? "The agent's model" : origin
  throw new ModelError('invalid_config', `${subject} ${parsed.problem}`)
}

function noModel(): ModelError {
  const variables = Object.values(PROVIDERS).map(({ variable }) => variable)
  return new ModelError(
    'unavailable',
    `No language model is configured: set one of ${variables.join(', ')}, or AGENTSERVER_MODEL=provider/model, or the model option of the agent`,
    { publicMessage: 'No language model is configured' },
  )
}
