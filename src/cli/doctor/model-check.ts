import type { Agent } from '../../agent/agent.ts'
import { chooseModels } from '../../agent/models/model-choice.ts'
import type { ModelChoice, ModelSettings } from '../../agent/models/model-choice.ts'
import { isConfigured, isProviderName, PROVIDERS, readVariable } from '../../agent/models/model-provider.ts'
import { modelList } from '../../agent/resolve-agent.ts'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { usedAgents } from '../../workflow/used-agents.ts'
import { modelText } from '../serve/model-text.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

/** Checks the models of the agents and the provider keys. Keys are never printed. */
export function checkModels(config: ServerConfig, settings: ModelSettings): Check[] {
  return [...checkChoices(config, settings), ...placeholders(settings)]
}

function checkChoices(config: ServerConfig, settings: ModelSettings): Check[] {
  const text = modelText(config, settings)
  if (text === undefined) return [ok('model', 'No agents are declared')]
  const agents = usedAgents(config)
  const chosen = agents.map(({ model }) => choicesOf(model, settings))
  const problem = chosen.find((choices) => choices instanceof AppError)
  if (problem) return [failure('model', problem.message, problem.hint ?? 'Fix the model of the agent.')]
  const isDemo = (chosen as ModelChoice[][]).flat().some(({ origin }) => origin === 'demo')
  const advice = 'Set a provider key, such as OPENAI_API_KEY, or AGENTSERVER_MODEL=provider/model, in .env.'
  return [isDemo ? warning('model', text, advice) : ok('model', text)]
}

/** The models of an agent; none when a function chooses them, and the error when they cannot be chosen. */
function choicesOf(model: Agent['model'], settings: ModelSettings): ModelChoice[] | AppError {
  if (typeof model === 'function') return []
  try {
    return chooseModels(modelList(model), settings)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** The provider packages that these agents require, from their models or the environment. */
export function providerPackages(agents: readonly Agent[]): string[] {
  const settings = { env: process.env, production: false }
  const named = agents.flatMap(({ model }) => {
    const choices = choicesOf(model, settings)
    const models = typeof model === 'function' ? [] : modelList(model)
    // model objects bring their package
    return choices instanceof AppError ? [] : choices.filter((_, index) => typeof models[index] !== 'object')
  })
  const packages = named
    .map(({ provider }) => provider)
    .filter(isProviderName)
    .map((name) => PROVIDERS[name].package)
  return [...new Set(packages)].filter((name) => name !== undefined)
}

function placeholders({ env }: ModelSettings): Check[] {
  return Object.keys(PROVIDERS)
    .filter(isProviderName)
    .filter((name) => readVariable(env, PROVIDERS[name].variable) !== undefined && !isConfigured(name, env))
    .map((name) => {
      const { variable } = PROVIDERS[name]
      return warning(
        'model',
        `${variable} is a placeholder and is ignored`,
        `Set it to your API key, or remove it.`,
      )
    })
}
