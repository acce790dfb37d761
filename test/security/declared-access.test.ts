import {
  DEFAULT_CONSOLE_ROUTES,
  andThen,
  createAgent,
  createMcpServer,
  createSchedule,
  createTool,
  createWorkflow,
  demoModel,
  sendEvent,
} from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../support/clients/mcp-client.ts'
import { DEV, GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const done = andThen({ id: 'done', execute: () => 'done' })
const open = createWorkflow({ id: 'open' }, done)
const byOperators = createWorkflow({ id: 'by-operators', startedBy: 'operators' }, done)
const byCode = createWorkflow({ id: 'by-code', startedBy: 'code' }, done)
const child = createWorkflow({ id: 'child' }, done)
const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: child })
const starter = createWorkflow({ id: 'starter' }).andThen({
  id: 'start',
  execute: async () => (await byCode.execute({})).result,
})

const made = (name: string, options: object = {}) =>
  createTool({
    name,
    description: 'Says that it ran',
    inputSchema: z.object({}),
    execute: () => 'ran',
    ...options,
  })
const plain = made('plain')
const approved = made('approved', { needsApproval: true })
const opened = made('opened', { needsApproval: true, callable: true })
const closedTool = made('closedTool', { callable: false })
const agent = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Help',
  model: demoModel(),
  tools: [closedTool],
})

const parts: AgentServerConfig = {
  workflows: [open, byOperators, byCode, parent, starter],
  agents: [agent],
  tools: [plain, approved, opened],
  schedules: [
    createSchedule({ id: 'nightly', workflow: byOperators, cron: '0 3 * * *', input: {} }),
    createSchedule({ id: 'hourly', workflow: open, cron: '0 * * * *', input: {} }),
  ],
  mcpServers: [
    createMcpServer({ id: 'desk', name: 'Desk', tools: [plain, approved], workflows: [open, byOperators] }),
  ],
}
const ada = bearer(await tokenOf({ sub: 'ada' }))
type Headers = Readonly<Record<string, string>>

const servers: GuardedServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

function serve(config: AgentServerConfig = { authNext: { provider: provider() } }): GuardedServer {
  const server = new GuardedServer({ ...parts, ...config })
  servers.push(server)
  return server
}

const start = (server: TestServer, workflow: string, headers: Headers = {}, route = 'execute') =>
  server.post(`/workflows/${workflow}/${route}`, { input: {} }, headers)
const call = (server: TestServer, tool: string, headers: Headers = {}, body: object = {}) =>
  server.post(`/tools/${tool}/execute`, { input: {}, ...body }, headers)

describe('startedBy', () => {
  it.each(['execute', 'run', 'stream'])('closes POST /workflows/:id/%s to users', async (route) => {
    const server = serve()
    expect((await start(server, 'open', ada, route)).status).toBe(200)
    expect(await refusalOf(start(server, 'by-operators', ada, route), 403)).toBe(
      'The workflow "by-operators" is started by operators',
    )
    expect(await refusalOf(start(server, 'by-code', ada, route), 403)).toContain('only by code')
    expect((await start(server, 'by-operators', DEV, route)).status).toBe(200)
    expect(await refusalOf(start(server, 'by-code', DEV, route), 403)).toContain('only by code')
  })

  it('operators are users who send the console key as well, and routes that need the key', async () => {
    const both = { ...ada, ...keyHeader() }
    expect((await start(serve(), 'by-operators', both)).status).toBe(200)
    const consoleRoutes = [...DEFAULT_CONSOLE_ROUTES, 'POST /workflows/by-operators/execute']
    const server = serve({ authNext: { provider: provider(), consoleRoutes } })
    expect((await start(server, 'by-operators', keyHeader())).status).toBe(200)
    expect((await start(server, 'by-operators', ada)).status).toBe(401)
  })

  it('closes a public route to callers without a token', async () => {
    const server = serve({ authNext: { provider: provider(), publicRoutes: ['/workflows/*'] } })
    expect((await start(server, 'open')).status).toBe(200)
    expect((await start(server, 'by-operators')).status).toBe(403)
  })

  it('holds beside authorize, and under the legacy auth', async () => {
    const server = serve({ authNext: { provider: provider(), authorize: () => true } })
    expect((await start(server, 'by-operators', ada)).status).toBe(403)
    expect((await start(serve({ auth: provider() }), 'by-operators', ada)).status).toBe(403)
  })

  it('code lets steps start executions that no request can start, also without a provider', async () => {
    const server = new TestServer(parts)
    expect(await dataOf(start(server, 'starter'))).toMatchObject({ status: 'completed', result: 'done' })
    expect((await start(server, 'by-code')).status).toBe(403)
    expect((await start(server, 'by-operators')).status).toBe(200)
    await server.close()
  })

  it('counts for replays, which operators can always do', async () => {
    const server = serve()
    const { executionId } = await dataOf<{ executionId: string }>(start(server, 'by-operators', DEV))
    const path = `/workflows/by-operators/executions/${executionId}/replay`
    expect(await refusalOf(server.post(path, { stepId: 'done' }, ada), 403)).toBe(
      'You are not allowed to start the workflow by-operators',
    )
    expect((await server.post(path, { stepId: 'done' }, DEV)).status).toBe(200)
  })

  it('counts for schedules whose route is open to users', async () => {
    const server = serve({ authNext: { provider: provider(), consoleRoutes: [] } })
    expect((await server.post('/schedules/hourly/trigger', {}, ada)).status).toBe(200)
    expect((await server.post('/schedules/nightly/trigger', {}, ada)).status).toBe(403)
    expect((await server.post('/schedules/nightly/trigger', {}, DEV)).status).toBe(200)
  })
})

describe('a child workflow that is not in workflows', () => {
  it('is not served: it runs as a step, and no request can start it', async () => {
    const server = serve()
    expect(await dataOf(start(server, 'parent', ada))).toMatchObject({ status: 'completed', result: 'done' })
    expect(await refusalOf(start(server, 'child', ada), 404)).toBe('Workflow not found: child')
    expect(await refusalOf(start(server, 'child', DEV), 404)).toBe(
      'Workflow not found: child. "child" is used only by steps of other workflows; add it to "workflows" in the configuration to start it',
    )
    const bare = new TestServer(parts)
    expect((await start(bare, 'child')).status).toBe(404)
    await bare.close()
  })

  it('is listed as not served, and described for the graph of its executions', async () => {
    const server = serve()
    const list = await dataOf<{ id: string; served: boolean }[]>(
      server.request('/workflows', { headers: keyHeader() }),
    )
    expect(list.filter(({ served }) => !served).map(({ id }) => id)).toEqual(['child'])
    const detail = await dataOf(server.request('/workflows/child', { headers: keyHeader() }))
    expect(detail).toMatchObject({ served: false, steps: [{ id: 'done' }] })
    const page = await (await server.request('/', { headers: keyHeader() })).text()
    expect(page).toContain('<code>parent</code>')
    expect(page).not.toContain('<code>child</code>')
  })
})

describe('from', () => {
  const waiting = (id: string, event: string, from?: 'users' | 'operators' | 'code') =>
    createWorkflow({ id }).andWaitForEvent({ id: 'wait', event, ...(from && { from }) })
  const sends = createWorkflow({ id: 'sends' }).andThen({
    id: 'send',
    execute: async () => (await sendEvent({ name: 'inner' })).resumed.length,
  })
  const workflows = [
    waiting('users', 'ping', 'users'),
    waiting('undeclared', 'ping'),
    waiting('shipped', 'shipped'),
    waiting('inner', 'inner', 'code'),
    sends,
  ]
  const send = (server: TestServer, name: string, headers: Headers = {}) =>
    server.post('/events', { name }, headers)
  const resumedBy = async (sent: Promise<Response>) => (await dataOf<{ resumed: string[] }>(sent)).resumed
  const wait = async (server: TestServer, workflow: string) =>
    (await dataOf<{ executionId: string }>(start(server, workflow, DEV))).executionId

  it('opens a wait to events of users; by default only operators and code send them', async () => {
    const server = serve({ workflows, authNext: { provider: provider() } })
    const users = await wait(server, 'users')
    const undeclared = await wait(server, 'undeclared')
    expect(await resumedBy(send(server, 'ping', ada))).toEqual([users])
    expect(await resumedBy(send(server, 'ping', DEV))).toEqual([undeclared])
    for (const name of ['shipped', 'inner', 'unknown'])
      expect(await refusalOf(send(server, name, ada), 403)).toBe(
        `The event "${name}" is not accepted from users`,
      )
  })

  it('counts for an event that came before the wait, too', async () => {
    const server = serve({ workflows, authNext: { provider: provider() } })
    expect(await resumedBy(send(server, 'ping', ada))).toEqual([])
    expect(await dataOf(start(server, 'undeclared', ada))).toMatchObject({ status: 'suspended' })
    expect(await dataOf(start(server, 'users', ada))).toMatchObject({ status: 'completed' })
  })

  it('code takes only events that code sends, also without a provider', async () => {
    for (const [server, headers] of [
      [new TestServer({ workflows }), {}],
      [serve({ workflows, authNext: { provider: provider() } }), DEV],
    ] as const) {
      await wait(server, 'inner')
      expect(await refusalOf(send(server, 'inner', headers), 403)).toBe(
        'The event "inner" is not accepted from operators',
      )
      expect(await dataOf(start(server, 'sends', headers))).toMatchObject({ result: 1 })
      await server.close()
    }
  })

  it('without a provider, everyone sends the events of an undeclared wait', async () => {
    const server = new TestServer({ workflows })
    const undeclared = await wait(server, 'undeclared')
    expect(await resumedBy(send(server, 'ping'))).toEqual([undeclared])
    await server.close()
  })
})

describe('wakeableBy', () => {
  const day = { for: '1d' } as const
  const workflows = [
    createWorkflow({ id: 'sleep' }).andSleep({ id: 'nap', ...day }),
    createWorkflow({ id: 'sleep-users' }).andSleep({ id: 'nap', ...day, wakeableBy: 'users' }),
    createWorkflow({ id: 'sleep-code' }).andSleep({ id: 'nap', ...day, wakeableBy: 'code' }),
    createWorkflow({ id: 'until' }).andSleepUntil({ id: 'nap', until: '2999-01-01' }),
    createWorkflow({ id: 'until-users' }).andSleepUntil({
      id: 'nap',
      until: '2999-01-01',
      wakeableBy: 'users',
    }),
    createWorkflow({ id: 'event' }).andWaitForEvent({ id: 'wait', event: 'ping' }),
    createWorkflow({ id: 'event-users' }).andWaitForEvent({ id: 'wait', event: 'pong', from: 'users' }),
    createWorkflow({ id: 'event-code' }).andWaitForEvent({ id: 'wait', event: 'inner', from: 'code' }),
  ]
  const resume = async (server: TestServer, workflow: string, headers: Headers) => {
    const { executionId } = await dataOf<{ executionId: string }>(start(server, workflow, ada))
    const response = await server.post(
      `/workflows/${workflow}/executions/${executionId}/resume`,
      { resumeData: {} },
      headers,
    )
    const { status } = await dataOf<{ status: string }>(
      server.request(`/workflows/${workflow}/executions/${executionId}/state`, { headers: keyHeader() }),
    )
    return [response.status, status]
  }
  const REFUSED = [403, 'suspended']
  const RESUMED = [200, 'completed']

  it.each([
    ['sleep', REFUSED, RESUMED],
    ['sleep-users', RESUMED, RESUMED],
    ['sleep-code', REFUSED, REFUSED],
    ['until', REFUSED, RESUMED],
    ['until-users', RESUMED, RESUMED],
    ['event', REFUSED, RESUMED],
    ['event-users', RESUMED, RESUMED],
    ['event-code', REFUSED, REFUSED],
  ])(
    'and from count for a resume of %s by its owner, and by an operator',
    async (id, byOwner, byOperator) => {
      const server = serve({ workflows, authNext: { provider: provider() } })
      expect(await resume(server, id, ada)).toEqual(byOwner)
      expect(await resume(server, id, DEV)).toEqual(byOperator)
    },
  )

  it('and from count over a parent, and beside authorize', async () => {
    const [nap] = workflows
    const over = createWorkflow({ id: 'over' }).andWorkflow({ id: 'down', workflow: nap as never })
    const authNext = { provider: provider(), authorize: () => true }
    const server = serve({ workflows: [...workflows, over], authNext })
    expect(await resume(server, 'over', ada)).toEqual(REFUSED)
    expect(await resume(server, 'event', ada)).toEqual(REFUSED)
    expect(await resume(server, 'over', DEV)).toEqual(RESUMED)
  })

  it('without a provider, everyone wakes a sleep that is not left to code', async () => {
    const server = new TestServer({ workflows })
    expect(await resume(server, 'sleep', {})).toEqual(RESUMED)
    expect(await resume(server, 'sleep-code', {})).toEqual(REFUSED)
    await server.close()
  })
})

describe('callable', () => {
  it('opens direct calls of a tool with needsApproval, which are closed to users by default', async () => {
    const server = serve()
    expect((await call(server, 'plain', ada)).status).toBe(200)
    const refusal = await refusalOf(call(server, 'approved', ada, { approve: true }), 403)
    expect(refusal).toBe(`The tool "approved" needs approval: users can't call it directly`)
    expect((await call(server, 'opened', ada, { approve: true })).status).toBe(200)
    expect((await call(server, 'approved', DEV, { approve: true })).status).toBe(200)
    expect((await call(server, 'approved', { ...ada, ...keyHeader() }, { approve: true })).status).toBe(200)
  })

  it('false leaves a tool to agents, whoever calls, also without a provider', async () => {
    for (const headers of [ada, DEV])
      expect(await refusalOf(call(serve(), 'closedTool', headers), 403)).toBe(
        'The tool "closedTool" is called only by agents',
      )
    const bare = new TestServer(parts)
    expect((await call(bare, 'closedTool')).status).toBe(403)
    expect((await call(bare, 'approved', {}, { approve: true })).status).toBe(200)
    await bare.close()
  })
})

it('startedBy and callable count over MCP', async () => {
  const server = serve()
  const { url } = await server.listen()
  const client = await connectClient(`${url}/mcp/desk`, { user: await tokenOf({ sub: 'ada' }) })
  const tried = async (name: string) => {
    const { isError = false, content } = await client.callTool({ name, arguments: {} })
    return isError ? (content as { text: string }[])[0]?.text : 'ran'
  }
  expect(await tried('run_open')).toBe('ran')
  expect(await tried('run_by-operators')).toBe('The workflow "by-operators" is started by operators')
  expect(await tried('plain')).toBe('ran')
  expect(await tried('approved')).toBe(`The tool "approved" needs approval: users can't call it directly`)
  await client.close()
})

it('an MCP server with a part that no client can call is a problem of the configuration', () => {
  const { problems } = createMcpServer({ id: 'x', name: 'X', tools: [closedTool], workflows: [byCode] })
  expect(problems).toEqual([
    `tools: "closedTool" has callable: false, so clients can't call it`,
    `workflows: "by-code" has startedBy: 'code', so clients can't start it`,
  ])
})
