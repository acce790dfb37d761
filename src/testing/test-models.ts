import type { Agent } from '../agent/agent.ts'
import type { ModelRecorder } from '../agent/answer/model-recorder.ts'
import { modelProblems } from '../agent/models/model-problems.ts'
import type { TestModelOptions } from './test-model-options.ts'

/**
 * The models in place of those of agents; `undefined` when there are none.
 *
 * @throws TypeError for a value that is no model, and for an id that no agent has, with the ids of the agents.
 */
export function testModels(
  call: string,
  { models = {}, model }: TestModelOptions,
  agents: () => readonly Agent[],
): ModelRecorder | undefined {
  const given = new Map(Object.entries(models))
  if (given.size === 0 && model === undefined) return undefined
  for (const [name, value] of [...given].map(([id, one]) => [`models.${id}`, one] as const))
    requireModel(call, name, value)
  if (model !== undefined) requireModel(call, 'model', model)
  const ids = [...new Set(agents().map(({ id }) => id))]
  const unknown = [...given.keys()].find((id) => !ids.includes(id))
  if (unknown !== undefined)
    throw new TypeError(
      `${call}(): models has "${unknown}", and there is no agent with this id: ${ids.length === 0 ? 'there are no agents' : `there are ${ids.join(', ')}`}. An agent that only step.agent calls must be in uses of its workflow`,
    )
  return {
    of: () => undefined,
    newTrace: () => undefined,
    modelOf: (agentId) => given.get(agentId) ?? model,
  }
}

function requireModel(call: string, name: string, value: unknown): void {
  const [problem] = modelProblems(value)
  if (problem !== undefined) throw new TypeError(`${call}(): ${name}: ${problem}`)
}
