import type { AgentDetail, AgentSummary } from '../contract/endpoints/agent.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import { chooseModels } from './models/model-choice.ts'
import type { ModelChoice, ModelSettings } from './models/model-choice.ts'
import { modelList } from './resolve-agent.ts'
import { subAgentToolName } from './sub-agent.ts'

interface AgentState {
  /** Whether a run of the agent is in progress. */
  readonly running: boolean
  /** Whether the agent is served over HTTP; `false` for agents used only by workflows or other agents. */
  readonly served: boolean
  readonly settings: ModelSettings
}

/** An agent as in the list of agents. */
export function summariseAgent(agent: Agent, { running, served, settings }: AgentState): AgentSummary {
  const [model, ...others] = chosenModels(agent, settings)
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description ?? '',
    status: running ? 'running' : 'idle',
    model: model?.modelId ?? null,
    provider: model?.provider ?? null,
    fallbackModels: others.map(({ provider, modelId }) => `${provider}/${modelId}`),
    perRequest: [...agent.perRequest],
    tools: agent.tools.map(({ name, description }) => ({ name, description })),
    memory: agent.memory !== false,
    workingMemory: typeof agent.memory === 'object' && agent.memory.workingMemory !== undefined,
    served,
    ...(agent.subAgents.length > 0 && { subAgentIds: agent.subAgents.map(({ id }) => id) }),
  }
}

/** An agent with its instructions, tools and sub-agents. */
export function describeAgent(agent: Agent, state: AgentState): AgentDetail {
  return {
    ...summariseAgent(agent, state),
    instructions: typeof agent.instructions === 'string' ? agent.instructions : null,
    tools: agent.tools.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema: compileSchema(inputSchema).input,
      outputSchema: outputSchema === undefined ? null : compileSchema(outputSchema).output,
    })),
    subAgents: agent.subAgents.map((subAgent) => {
      const { id, name, description = '' } = subAgent
      return { id, name, description, toolName: subAgentToolName(subAgent) }
    }),
    ...(agent.examples && agent.examples.length > 0 && { examples: [...agent.examples] }),
  }
}

/**
 * Empty when a function chooses the model, none is configured or a name is malformed: the list still works, and calls
 * fail with the reason.
 */
function chosenModels({ model }: Agent, settings: ModelSettings): ModelChoice[] {
  if (typeof model === 'function') return []
  try {
    return chooseModels(modelList(model), settings)
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
