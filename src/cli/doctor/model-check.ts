import type { Agent } from '../../agent/agent.ts'
import { chooseModel } from '../../agent/models/model-choice.ts'
import type { ModelSettings } from '../../agent/models/model-choice.ts'
import { isConfigured, isProviderName, PROVIDERS, readVariable } from '../../agent/models/model-provider.ts'
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
  const problem = agents.map(({ model }) => problemWith(model, settings)).find(Boolean)
  if (problem) return [failure('model', problem.message, problem.hint ?? 'Fix the model of the agent.')]
  const isDemo = agents.some(({ model }) => chooseModel(model, settings).origin === 'demo')
  const advice = 'Set a provider key, such as OPENAI_API_KEY, or AGENTSERVER_MODEL=provider/model, in .env.'
  return [isDemo ? warning('model', text, advice) : ok('model', text)]
}

function problemWith(
  model: Parameters<typeof chooseModel>[0],
  settings: ModelSettings,
): AppError | undefined {
  try {
    chooseModel(model, settings)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** The provider packages that these agents require, from their models or the environment. */
export function providerPackages(agents: readonly Agent[]): string[] {
  const settings = { env: process.env, production: false }
  const chosen = agents
    .filter(({ model }) => typeof model !== 'object' && problemWith(model, settings) === undefined)
    .map(({ model }) => chooseModel(model, settings).provider)
  const packages = chosen.filter(isProviderName).map((name) => PROVIDERS[name].package)
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
