import type { Agent } from '../../agent/agent.ts'
import { withSubAgents } from '../../agent/tools/registered-tools.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { duplicates, itemProblems, unknownItems } from './declarations.ts'

/** What createMcpServer() and connectMcpServer() make, as far as a configuration looks into it. */
export interface DeclaredMcpServer {
  readonly kind: 'served' | 'connected'
  readonly id: string
  readonly tools: readonly Tool[]
  readonly agents: readonly Agent[]
  readonly workflows: readonly WorkflowDefinition[]
  /** Rules the declaration breaks. */
  readonly problems: readonly string[]
}

/** Every rule that the declared MCP servers break. */
export function mcpProblems(servers: readonly DeclaredMcpServer[], agents: readonly Agent[]): string[] {
  return (
    unknownItems('mcpServers', servers, 'createMcpServer() or connectMcpServer()') ?? [
      ...itemProblems('mcpServers', servers, ({ id }) => id),
      ...duplicates('MCP server id', servers),
      ...missingSources(servers, agents),
    ]
  )
}

/** Servers that agents have tools of are connected to only when they are declared. */
function missingSources(servers: readonly DeclaredMcpServer[], agents: unknown): string[] {
  if (!Array.isArray(agents)) return []
  const declared = new Set<unknown>(servers)
  const sound = (agents as readonly (Partial<Agent> | null)[]).filter(
    (agent): agent is Agent => Array.isArray(agent?.toolSources) && Array.isArray(agent.subAgents),
  )
  const all = withSubAgents([...sound, ...servers.flatMap((server) => server.agents)])
  return all.flatMap(({ id, toolSources }) =>
    toolSources
      .filter((source) => !declared.has(source))
      .map((source) => `agent "${id}" has tools of MCP server "${source.id}", which is not in mcpServers`),
  )
}

/** The workflows that MCP servers serve. */
export function servedWorkflows(servers: unknown): WorkflowDefinition[] {
  return partial(servers).flatMap((server) => server?.workflows ?? [])
}

/** The agents that MCP servers serve. */
export function servedAgents(servers: unknown): Agent[] {
  return partial(servers).flatMap((server) => server?.agents ?? [])
}

/** Servers that may break every rule. */
function partial(servers: unknown): readonly (Partial<DeclaredMcpServer> | null)[] {
  return Array.isArray(servers) ? (servers as readonly (Partial<DeclaredMcpServer> | null)[]) : []
}
