import type { AgentDetail, AgentSummary } from '../contract/endpoints/agent.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import { chooseModel, type ModelChoice, type ModelSettings } from './models/model-choice.ts'

interface AgentState {
  /** Whether a run of the agent is in progress. */
  readonly running: boolean
  /** Whether the agent is served over HTTP; `false` for agents used only by workflows or other agents. */
  readonly served: boolean
  readonly settings: ModelSettings
}

/** An agent as in the list of agents. */
export function summariseAgent(agent: Agent, { running, served, settings }: AgentState): AgentSummary {
  const model = chosenModel(agent, settings)
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description ?? '',
    status: running ? 'running' : 'idle',
    model: model?.modelId ?? null,
    provider: model?.provider ?? null,
    tools: agent.tools.map(({ name, description }) => ({ name, description })),
    memory: agent.memory !== false,
    served,
  }
}

/** An agent with its instructions, tools and sub-agents. */
export function describeAgent(agent: Agent, state: AgentState): AgentDetail {
  return {
    ...summariseAgent(agent, state),
    instructions: agent.instructions,
    tools: agent.tools.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema: compileSchema(inputSchema).input,
      outputSchema: outputSchema === undefined ? null : compileSchema(outputSchema).output,
    })),
    subAgents: agent.subAgents.map(({ id, name, description = '' }) => ({ id, name, description })),
  }
}

/**
 * `undefined` when no model is configured or its name is malformed: the list still works, and calls fail with
 * the reason.
 */
function chosenModel(agent: Agent, settings: ModelSettings): ModelChoice | undefined {
  try {
    return chooseModel(agent.model, settings)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
