import type { Agent } from './agent.ts'

/** The tool name of a sub-agent. Characters of the id that are not valid in tool names are replaced by `_`. */
export function subAgentToolName(agent: Pick<Agent, 'id'>): string {
  return `ask_${agent.id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64)
}
