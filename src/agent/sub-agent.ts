import type { Agent } from './agent.ts'

/** The name under which an agent's model sees a sub-agent. Ids may hold characters that tool names may not. */
export function subAgentToolName(agent: Pick<Agent, 'id'>): string {
  return `ask_${agent.id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64)
}
