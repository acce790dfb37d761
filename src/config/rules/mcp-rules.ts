import type { Agent } from '../../agent/agent.ts'
import { withSubAgents } from '../../agent/tools/registered-tools.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { declarationOf } from '../../lib/declared-at.ts'
import type { FoundProblem } from '../../lib/declared-at.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { duplicates, itemProblems, unknownItems } from './declarations.ts'

/** The parts of an MCP server, served or connected, that a configuration uses. */
export interface DeclaredMcpServer {
  /** Whether it is served or connected. */
  readonly kind: 'served' | 'connected'
  /** Id of the server. */
  readonly id: string
  /** Tools that it serves or provides. */
  readonly tools: readonly Tool[]
  /** Agents that it serves. */
  readonly agents: readonly Agent[]
  /** Workflows that it serves. */
  readonly workflows: readonly WorkflowDefinition[]
  /** Problems in its options. */
  readonly problems: readonly string[]
}

/** The problems of the declared MCP servers. */
export function mcpProblems(servers: readonly DeclaredMcpServer[], agents: readonly Agent[]): FoundProblem[] {
  return (
    unknownItems('mcpServers', servers) ?? [
      ...itemProblems('mcpServers', servers, ({ id }) => id),
      ...duplicates('MCP server id', servers, ({ id }) => id),
      ...missingSources(servers, agents),
    ]
  )
}

/** Problems for agents that use tools of undeclared MCP servers, which would not be connected. */
function missingSources(servers: readonly DeclaredMcpServer[], agents: unknown): FoundProblem[] {
  if (!Array.isArray(agents)) return []
  const declared = new Set<unknown>(servers)
  const valid = (agents as readonly (Partial<Agent> | null)[]).filter(
    (agent): agent is Agent => Array.isArray(agent?.toolSources) && Array.isArray(agent.subAgents),
  )
  const all = withSubAgents([...valid, ...servers.flatMap((server) => server.agents)])
  return all.flatMap((agent) =>
    agent.toolSources
      .filter((source) => !declared.has(source))
      .map(({ id }) => ({
        message: `agent "${agent.id}" uses tools of MCP server "${id}", which must be listed in mcpServers`,
        declaration: declarationOf(agent),
      })),
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

/** The servers, which may still be invalid. */
function partial(servers: unknown): readonly (Partial<DeclaredMcpServer> | null)[] {
  return Array.isArray(servers) ? (servers as readonly (Partial<DeclaredMcpServer> | null)[]) : []
}
