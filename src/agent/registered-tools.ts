import type { Agent } from './agent.ts'
import type { Tool } from './tool.ts'

/** A tool and where it is from. */
export interface RegisteredTool {
  readonly tool: Tool
  /** Ids of the agents that have it. */
  readonly agents: readonly string[]
  readonly source: 'config' | 'agent' | 'mcp'
  /** Of a connected server's tool. */
  readonly serverId?: string
}

export interface ToolOwners {
  readonly tools: readonly Tool[]
  readonly agents: readonly Agent[]
}

/**
 * The tools of a configuration, each once: its own, then those of agents and their sub-agents. Where two of
 * them have the same name, callers who name it get the first.
 */
export function registeredTools({ tools, agents }: ToolOwners): RegisteredTool[] {
  const all = withSubAgents(agents)
  const own = all.flatMap((agent) => agent.tools)
  return [...new Set([...tools, ...own])].map((tool) => ({
    tool,
    agents: all.filter((agent) => agent.tools.includes(tool)).map(({ id }) => id),
    source: tools.includes(tool) ? 'config' : 'agent',
  }))
}

/** The agents and those they may ask, each once. */
export function withSubAgents(agents: readonly Agent[]): Agent[] {
  const found = new Set<Agent>()
  const add = (agent: Agent) => {
    if (found.has(agent)) return
    found.add(agent)
    agent.subAgents.forEach(add)
  }
  agents.forEach(add)
  return [...found]
}
