import type { AgentDetail, AgentSummary } from '../contract/endpoints/agent.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import { chooseModel, type ModelChoice, type ModelSettings } from './models/model-choice.ts'

interface Situation {
  readonly running: boolean
  readonly served: boolean
  readonly settings: ModelSettings
}

/** An agent as lists show it. */
export function summariseAgent(agent: Agent, { running, served, settings }: Situation): AgentSummary {
  const model = modelIfAny(agent, settings)
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
export function describeAgent(agent: Agent, situation: Situation): AgentDetail {
  return {
    ...summariseAgent(agent, situation),
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

/** The list stays readable when a model is missing or its name is malformed: the call tells which. */
function modelIfAny(agent: Agent, settings: ModelSettings): ModelChoice | undefined {
  try {
    return chooseModel(agent.model, settings)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
