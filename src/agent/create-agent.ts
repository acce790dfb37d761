import type { Agent, AgentConfig } from './agent.ts'
import { agentProblems } from './agent-problems.ts'
import { isToolSource } from './tools/tool-source.ts'

const DEFAULT_MAX_STEPS = 8
const DEFAULT_TIMEOUT_MS = 300_000

/** Declares an agent. What is wrong with the declaration is not thrown, but told by its `problems`. */
export function createAgent(config: AgentConfig): Agent {
  const { id, name, description, version, instructions, model, memory } = config
  const { tools = [], subAgents = [], hooks = {} } = config
  const { maxSteps = DEFAULT_MAX_STEPS, timeoutMs = DEFAULT_TIMEOUT_MS } = config
  const declared = listOf(tools)
  return Object.freeze({
    id,
    name,
    instructions,
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
    ...(memory === undefined ? {} : { memory }),
    get tools() {
      return Object.freeze(declared.flatMap((tool) => (isToolSource(tool) ? tool.tools : [tool])))
    },
    toolSources: Object.freeze(declared.filter((tool) => isToolSource(tool))),
    subAgents: listOf(subAgents),
    maxSteps,
    timeoutMs,
    hooks: Object.freeze({ ...hooks }),
    problems: Object.freeze(agentProblems(config)),
  })
}

/** What isn't a list is one of the problems; the value stays readable all the same. */
function listOf<T>(value: readonly T[]): readonly T[] {
  return Object.freeze(Array.isArray(value) ? [...value] : [])
}
