import type { ApiClient } from '../../client/api.ts'

/** What the configuration has: the ids of each kind of target. */
export async function targetIds(client: ApiClient): Promise<Readonly<Record<string, readonly string[]>>> {
  const [workflows, agents, tools] = await Promise.all([
    client.listWorkflows(),
    client.listAgents(),
    client.listTools(),
  ])
  return {
    workflow: workflows.map(({ id }) => id),
    agent: agents.map(({ id }) => id),
    tool: tools.map(({ name }) => name),
  }
}
