import { chooseModel } from '../../agent/models/model-choice.ts'
import type { ModelChoice, ModelSettings } from '../../agent/models/model-choice.ts'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { usedAgents } from '../../workflow/used-agents.ts'

/** The models of the agents and where each is configured, without keys. Undefined without agents. */
export function modelText(config: ServerConfig, settings: ModelSettings): string | undefined {
  const agents = usedAgents(config)
  if (agents.length === 0) return undefined
  return [...new Set(agents.map(({ model }) => describeModel(model, settings)))].join(', ')
}

function describeModel(model: Parameters<typeof chooseModel>[0], settings: ModelSettings): string {
  try {
    return describeChoice(chooseModel(model, settings))
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
