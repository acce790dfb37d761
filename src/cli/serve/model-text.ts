import { chooseModel } from '../../agent/models/model-choice.ts'
import type { ModelChoice, ModelSettings } from '../../agent/models/model-choice.ts'
import type { ServerConfig } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import { usedAgents } from '../../workflow/used-agents.ts'

/** Which models answer for the agents, and what decided that; never a key. Nothing where there are no agents. */
export function modelText(config: ServerConfig, settings: ModelSettings): string | undefined {
  const agents = usedAgents(config)
  if (agents.length === 0) return undefined
  return [...new Set(agents.map(({ model }) => describeModel(model, settings)))].join(', ')
}

function describeModel(model: Parameters<typeof chooseModel>[0], settings: ModelSettings): string {
  try {
    return describeChoice(chooseModel(model, settings))
  } catch (error) {
    // the server serves all the same; whoever asks the agent gets this as the answer
    if (error instanceof AppError) return error.message
    throw error
  }
}

function describeChoice({ provider, modelId, origin }: ModelChoice): string {
  if (origin === 'demo') return 'demo (no provider is configured)'
  const name = provider === 'demo' ? 'demo' : `${provider}/${modelId}`
  return `${name} (${origin === 'agent' ? "the agent's own" : origin})`
}
