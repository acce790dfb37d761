import { chooseModels } from '../../agent/models/model-choice.ts'
import type { ModelChoice, ModelSettings } from '../../agent/models/model-choice.ts'
import type { Agent } from '../../agent/agent.ts'
import { modelList } from '../../agent/resolve-agent.ts'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { usedAgents } from '../../workflow/used-agents.ts'

/** The models of the agents and where each is configured, without keys. Undefined without agents. */
export function modelText(config: ServerConfig, settings: ModelSettings): string | undefined {
  const agents = usedAgents(config)
  if (agents.length === 0) return undefined
  return [...new Set(agents.map(({ model }) => describeModels(model, settings)))].join(', ')
}

function describeModels(model: Agent['model'], settings: ModelSettings): string {
  if (typeof model === 'function') return 'chosen per request'
  try {
    const [first, ...others] = chooseModels(modelList(model), settings) as [ModelChoice, ...ModelChoice[]]
    const rest = others.map(({ provider, modelId }) => `, then ${provider}/${modelId}`)
    return describeChoice(first) + rest.join('')
  } catch (error) {
    // the server starts anyway; requests to the agent fail with this error
    if (error instanceof AppError) return error.message
    throw error
  }
}

function describeChoice({ provider, modelId, origin }: ModelChoice): string {
  if (origin === 'demo') return 'demo (no provider configured)'
  const name = provider === 'demo' ? 'demo' : `${provider}/${modelId}`
  return `${name} (${origin === 'agent' ? 'set on the agent' : origin})`
}
