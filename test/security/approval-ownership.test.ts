import { createAgent, createTool } from 'agentserver'
import type { AgentServerConfig, AuthorizeRequest } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { expect, it } from 'vitest'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'

const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: { type: 'object', properties: {} },
  needsApproval: true,
  execute: () => 'refunded',
})
const clerkOf = () =>
  createAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Help',
    tools: [refund],
    model: scriptedModel(
      Array.from({ length: 20 }, () => [{ toolCalls: [{ toolName: 'refund', input: {} }] }, 'Done']).flat(),
    ),
  })
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))

type Headers = Readonly<Record<string, string>>

const seen: AuthorizeRequest[] = []
const MODES: Readonly<Record<string, AgentServerConfig>> = {
  'the default': { authNext: { provider: provider() } },
  "ownership: 'strict'": { authNext: { provider: provider(), ownership: 'strict' } },
  authorize: {
    authNext: {
      provider: provider(),
      authorize: (request) => {
        seen.push(request)
        const { user, resource } = request
        return resource.ownerId === undefined || resource.ownerId === user?.id
      },
    },
  },
  'legacy auth': { auth: provider() },
}

async function asked(server: GuardedServer): Promise<{ id: string; approvals: object[] }> {
  const call = { method: 'POST', headers: ada, json: { input: 'Refund it' } }
  const response = await server.request('/agents/clerk/text', call)
  const { data } = (await response.json()) as { data: { id: string; approvals: { approvalId: string }[] } }
  return {
    id: data.id,
    approvals: data.approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
  }
}

it.each(Object.keys(MODES))(
  'approvals: under %s only the user who started the run and the console key decide',
  async (mode) => {
    const server = new GuardedServer({ agents: [clerkOf()], ...MODES[mode] })
    const decide = async (
      headers: Headers,
      { id, approvals }: Awaited<ReturnType<typeof asked>>,
      root = '',
    ) => {
      const call = { method: 'POST', headers, json: { approvals } }
      const response = await server.request(`${root}/agents/clerk/runs/${id}/approvals`, call)
      return response.status
    }
    const first = await asked(server)
    expect(await decide(bob, first)).toBe(404)
    expect(await decide(bob, first, '/observability')).toBe(mode === 'legacy auth' ? 404 : 401)
    const listed = async (headers: Headers) => {
      const response = await server.request('/observability/approvals', { headers })
      return response.status === 200 ? ((await response.json()) as { data: object[] }).data.length : 'refused'
    }
    expect(await listed(bob)).toBe(mode === 'legacy auth' ? 0 : 'refused')
    expect(await listed(keyHeader())).toBe(1)
    expect(await decide(ada, first)).toBe(200)
    const second = await asked(server)
    expect(await decide(keyHeader(), second, '/observability')).toBe(200)
    await server.close()
  },
)

it('approvals: authorize is called with the action resume, the agent and the owner of the run', () => {
  expect(seen.map(({ action, resource, user }) => ({ action, resource, user: user?.id }))).toContainEqual({
    action: 'resume',
    resource: { kind: 'agent', id: 'clerk', ownerId: 'ada' },
    user: 'bob',
  })
})

it('approvals: a user whom authorize lets decide about the run of another gets no contents of the answer', async () => {
  const server = new GuardedServer({
    agents: [clerkOf()],
    authNext: { provider: provider(), authorize: () => true },
  })
  const { id, approvals } = await asked(server)
  const respond = async (headers: Headers) => {
    const path = `/agents/clerk/runs/${id}/approvals`
    const response = await server.request(path, { method: 'POST', headers, json: { approvals } })
    return { status: response.status, body: await response.text() }
  }
  const streamed = await respond({ ...bob, accept: 'text/event-stream' })
  expect(streamed).toMatchObject({
    status: 403,
    body: expect.stringContaining('Only the user who asked') as string,
  })
  const { status, body } = await respond(bob)
  expect(status).toBe(200)
  const { data } = JSON.parse(body) as { data: object }
  expect(data).toMatchObject({
    id,
    finishReason: 'stop',
    text: '',
    toolCalls: [],
    toolResults: [],
    steps: [],
  })
  await server.close()
})
