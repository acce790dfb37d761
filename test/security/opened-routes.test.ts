import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { andThen, createAgent, createSchedule, createTool, createWorkflow, demoModel } from 'agentserver'
import type { AuthNext, AuthorizeRequest } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GROUPS } from '../../src/contract/endpoint.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Pins } from '../../src/server/dev/pins.ts'
import { SocketReader } from '../support/clients/socket-reader.ts'
import { FakeEvals } from '../support/evals/fake-evals.ts'
import { bearer, provider, tokenOf } from '../support/server/guarded-server.ts'
import { TestServer } from '../support/server/test-server.ts'

/** In all that belongs to Ada. */
const MARK = 'markofada'
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))

const ask = andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('why') })
const order = createWorkflow({ id: 'order' }, ask)
const paid = createWorkflow({ id: 'paid' }).andWaitForEvent({ id: 'wait', event: 'paid', from: 'users' })
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order: id }) => id,
})
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
const cashier = createAgent({
  id: 'cashier',
  name: 'Cashier',
  instructions: 'Refund orders',
  model: scriptedModel([{ toolCalls: [{ toolName: 'refund', input: { order: MARK } }] }, 'Done']),
  tools: [refund],
})

/** A server whose console routes are open to users. */
function open(authNext: Partial<AuthNext>) {
  const root = mkdtempSync(path.join(tmpdir(), 'agentserver-opened-'))
  const pins = new Pins({
    root,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    onReplayed: () => undefined,
  })
  const server = new TestServer(
    {
      workflows: [order, paid],
      agents: [clerk, cashier],
      tools: [refund],
      schedules: [createSchedule({ id: 'nightly', workflow: order, cron: '@daily' })],
      authNext: { provider: provider(), consoleRoutes: [], ...authNext },
    },
    { root, pins, savedEvals: new FakeEvals({ small: ['a'] }) },
  )
  const close = async () => {
    pins.close()
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
  return { server, close }
}

/** Endpoints with data, of the console by default. */
const OF_CONSOLE = ENDPOINT_LIST.filter(
  ([, { group }]) => group !== 'docs' && (GROUPS[group].access === 'console' || group === 'setup'),
)

type Params = Readonly<Record<string, string>>
const PARAMS: Params = {
  traceId: '0123456789abcdef0123456789abcdef',
  spanId: '0123456789abcdef',
  id: 'clerk',
  runId: 'none',
  executionId: 'none',
  serverId: 'none',
  packageName: 'none',
  scope: '@none',
}
const QUERIES: Params = {
  search: `?q=${MARK}&limit=50`,
  readMcpResource: '?uri=a:b',
  getMcpPrompt: '?name=a',
  finishMcpLogin: '?state=none',
}
const BODIES: Readonly<Record<string, object>> = {
  callCodingServer: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  setupObservability: { publicKey: 'pk', secretKey: 'sk' },
  eraseUser: { userId: 'none' },
  cancelExecutions: { filter: { status: 'suspended' } },
  replayExecutions: { filter: { status: 'error' } },
  installUpdates: { packageName: 'none' },
  tryAgent: { input: 'Hi' },
  patchInstructions: { instructions: 'Help' },
  decideApprovals: { approvals: [{ approvalId: 'none', approved: true }] },
}

/** Sends a valid request to an endpoint, as a user. */
async function send(
  server: TestServer,
  key: string,
  { method, path: route }: Endpoint,
  params: Params,
  headers = bob,
) {
  const values = { ...PARAMS, ...params }
  const target = route.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'))
  const json = method === 'GET' ? undefined : (BODIES[key] ?? {})
  const isStream = route.endsWith('/stream')
  const response = await server.request(target + (QUERIES[key] ?? ''), {
    method,
    headers,
    ...(json && method !== 'DELETE' && { json }),
    ...(isStream && { signal: AbortSignal.timeout(1000) }),
  })
  const text = isStream && response.ok ? '' : await response.text()
  if (isStream && response.ok) await response.body?.cancel()
  return { status: response.status, text }
}

describe('with console routes that are open to users, a user', () => {
  const { server, close } = open({})
  let params: Params
  beforeAll(async () => {
    const post = async (target: string, json: object) =>
      (await server.request(target, { method: 'POST', headers: ada, json })).json() as Promise<{ data: any }>
    const { data: execution } = await post('/workflows/order/execute', { input: { note: MARK } })
    const executionId: string = execution.executionId
    const options = { conversationId: MARK }
    const { data: run } = await post('/agents/clerk/text', { input: `Hello ${MARK}`, options })
    await post('/agents/cashier/text', { input: `refund order ${MARK}` })
    await post('/events', { name: 'paid', key: MARK, data: { by: MARK } })
    await server.request(`/observability/pins/${executionId}`, { method: 'PUT', headers: ada, json: {} })
    params = { executionId, runId: run.id, traceId: run.traceId }
  })
  afterAll(close)

  it.each(
    OF_CONSOLE.filter(([key, { method, ofAllUsers, openByContract }]) => {
      // installed packages and the package manager are no data of users
      return method === 'GET' && !ofAllUsers && !openByContract && key !== 'getUpdates'
    }).map(([key, endpoint]) => [key, endpoint] as const),
  )('finds nothing of another user with %s', async (key, endpoint) => {
    const others = await send(server, key, endpoint, params)
    expect(others.text.replaceAll(`Execution not found: ${params['executionId']}`, '')).not.toContain(MARK)
    expect(others.text.replaceAll(`Execution not found: ${params['executionId']}`, '')).not.toContain(
      params['executionId'],
    )
    if (endpoint.lists === 'records') {
      expect(others.status).toBe(200)
      const ofOwner = await send(server, key, endpoint, params, ada)
      // queues have no executions without a limit
      const isEmpty =
        key === 'listQueues' || key === 'listAgentHistory'
          ? false
          : !/markofada|"pinnedAt"/.test(ofOwner.text)
      expect([key, isEmpty]).toEqual([key, false])
    }
  })

  it('finds the own runs in the history of an agent, and no others', async () => {
    const runs = async (headers: typeof ada) => {
      const response = await server.request('/agents/clerk/history', { headers })
      return ((await response.json()) as { data: object[] }).data.length
    }
    expect([await runs(ada), await runs(bob)]).toEqual([1, 0])
  })
})

describe('authorize', () => {
  const asked: AuthorizeRequest[] = []
  let answer: (request: AuthorizeRequest) => boolean = () => true
  const { server, close } = open({
    authorize: (request) => {
      asked.push(request)
      return answer(request)
    },
  })
  afterAll(close)

  it.each(OF_CONSOLE.map(([key, endpoint]) => [key, endpoint] as const))(
    'that refuses everything refuses %s, or leaves its list empty',
    async (key, endpoint) => {
      answer = () => true
      const { executionId } = await server
        .request('/workflows/order/execute', {
          method: 'POST',
          headers: bob,
          json: { input: {} },
        })
        .then(async (response) => ((await response.json()) as { data: { executionId: string } }).data)
      const started = await server.request('/evals/small/run', { method: 'POST', headers: bob, json: {} })
      const runId = started.ok ? ((await started.json()) as { data: { id: string } }).data.id : 'none'
      answer = () => false
      const id = /^\/(\w+)/.exec(endpoint.path.replace('/observability', ''))?.[1] ?? ''
      const ids: Params = { schedules: 'nightly', evals: 'small', workflows: 'order' }
      const { status, text } = await send(server, key, endpoint, {
        executionId,
        runId,
        id: ids[id] ?? 'clerk',
      })
      // one that names a resource is refused as a whole
      if (!endpoint.lists || endpoint.action)
        return expect([status, text]).toEqual([expect.toSatisfy(isRefusal), expect.any(String)])
      expect(status).toBe(200)
      const { data } = JSON.parse(text) as { data: unknown[] | { pins: unknown[] } }
      expect(Array.isArray(data) ? data : data.pins).toEqual([])
    },
  )

  const resources = {
    'GET /schedules/nightly': ['read', 'schedule', 'nightly'],
    'POST /schedules/nightly/trigger': ['execute', 'schedule', 'nightly'],
    'POST /schedules/nightly/pause': ['suspend', 'schedule', 'nightly'],
    'POST /schedules/nightly/resume': ['resume', 'schedule', 'nightly'],
    'GET /evals/small/cases': ['read', 'eval', 'small'],
    'GET /evals/small/runs': ['read', 'eval', 'small'],
    'POST /evals/small/run': ['execute', 'eval', 'small'],
    'POST /observability/agents/clerk/trials': ['execute', 'agent', 'clerk'],
    'GET /observability/workflows/order/statistics': ['read', 'workflow', 'order'],
    'GET /api/logs': ['read', 'server', '/api/logs'],
    'GET /observability/costs': ['read', 'server', '/observability/costs'],
    'GET /observability/traces/0123456789abcdef0123456789abcdef': [
      'read',
      'server',
      '/observability/traces/:traceId',
    ],
    'POST /updates': ['update', 'server', '/updates'],
    'POST /setup-observability': ['update', 'server', '/setup-observability'],
  } as const

  it.each(Object.entries(resources))('is asked about %s as %j', async (route, [action, kind, id]) => {
    const [method = '', target = ''] = route.split(' ')
    answer = () => false
    asked.length = 0
    const bodies: Readonly<Record<string, object>> = {
      '/setup-observability': { publicKey: 'pk', secretKey: 'sk' },
      '/observability/agents/clerk/trials': { input: 'Hi' },
    }
    const json = method === 'POST' ? (bodies[target] ?? {}) : undefined
    const response = await server.request(target, { method, headers: bob, ...(json && { json }) })
    expect(response.status).toBe(403)
    expect(asked).toEqual([{ user: { id: 'bob' }, action, resource: { kind, id } }])
  })

  it('decides about each workflow, agent, tool, schedule and eval of a list', async () => {
    const hidden = new Set(['cashier', 'paid', 'nightly', 'small'])
    answer = ({ resource }) => !hidden.has(resource.id)
    const ids = async (target: string) => {
      const response = await server.request(target, { headers: bob })
      const { data } = (await response.json()) as { data: { id?: string; name: string }[] }
      return data.map(({ id, name }) => id ?? name)
    }
    expect(await ids('/workflows')).toEqual(['order'])
    expect(await ids('/agents')).toEqual(['clerk'])
    expect(await ids('/schedules')).toEqual([])
    expect(await ids('/evals')).not.toContain('small')
    hidden.add('refund').add('order')
    expect([await ids('/tools'), await ids('/workflows')]).toEqual([[], []])
  })

  it('decides about the channels of logs and spans, and the topics with the same data', async () => {
    answer = () => false
    const { url } = await server.listen()
    const token = ada.authorization.slice('Bearer '.length)
    for (const channel of ['/ws/logs', '/ws/observability']) {
      const socket = await SocketReader.open(url, `${channel}?token=${token}`)
      expect(await socket.closed()).toBe(1008)
    }
    const socket = await SocketReader.open(url, `/ws?token=${token}`)
    for (const topic of ['logs', 'traces', 'calls', `trace:${'a'.repeat(32)}`]) socket.subscribe(topic)
    const errors = await socket.received(4)
    expect(errors.map(({ type }) => type)).toEqual(['error', 'error', 'error', 'error'])
    socket.close()
  })
})

function isRefusal(status: unknown): boolean {
  return status === 403 || status === 404 || status === 204
}
