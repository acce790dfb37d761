import type { Agent } from '../agent.ts'
import type { Tool } from './tool.ts'

/** A tool with its origin. */
export interface RegisteredTool {
  readonly tool: Tool
  /** The ids of the agents that use it. */
  readonly agents: readonly string[]
  readonly source: 'config' | 'agent' | 'mcp'
  /** The id of the connected MCP server. Only for `mcp`. */
  readonly serverId?: string
}

export interface ToolOwners {
  readonly tools: readonly Tool[]
  readonly agents: readonly Agent[]
  /** Connected MCP servers. */
  readonly servers: readonly { readonly id: string; readonly tools: readonly Tool[] }[]
}

/**
 * The tools of a configuration without duplicates: its own, then those of agents and their sub-agents, then those of
 * connected servers. Of two tools with the same name, calls by name use the first.
 */
export function registeredTools({ tools, agents, servers }: ToolOwners): RegisteredTool[] {
  const all = withSubAgents(agents)
  const serverOf = new Map(servers.flatMap(({ id, tools }) => tools.map((tool) => [tool, id] as const)))
  const ofAgents = all.flatMap((agent) => agent.tools).filter((tool) => !serverOf.has(tool))
  return [...new Set([...tools, ...ofAgents, ...serverOf.keys()])].map((tool) => {
    const serverId = serverOf.get(tool)
    return {
      tool,
      agents: all.filter((agent) => agent.tools.includes(tool)).map(({ id }) => id),
      ...(serverId === undefined
        ? { source: tools.includes(tool) ? 'config' : 'agent' }
        : { source: 'mcp', serverId }),
    }
  })
}

/** The agents and their sub-agents, without duplicates. */
export function withSubAgents(agents: readonly Agent[]): Agent[] {
  const found = new Set<Agent>()
  const add = (agent: Agent) => {
    if (found.has(agent)) return
    found.add(agent)
    for (const subAgent of agent.subAgents) add(subAgent)
  }
  for (const agent of agents) add(agent)
  return [...found]
}
