import {
  connectMcpServer,
  createAgent,
  createMcpServer,
  createSchedule,
  createTool,
  createWorkflow,
  demoModel,
} from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { createClient } from 'agentserver/client'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z, type ZodType } from 'zod'
import { ENDPOINTS, ENDPOINT_LIST } from '../../src/contract/index.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import type { EndpointKey } from '../../src/contract/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { OAuthServer } from '../support/mcp/oauth-server.ts'
import { FakeEvals, HELD } from '../support/evals/fake-evals.ts'
import { Pins } from '../../src/server/dev/pins.ts'
import { PackageRegistry, npmProject } from '../support/project/package-registry.ts'
import { add } from '../support/server/sample-tools.ts'
import { ReplySchemas } from './reply-schema.ts'
import type { ApiDescription } from './reply-schema.ts'
import { turns } from '../support/turns.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { Gate, sampleWorkflows } from '../support/server/sample-workflows.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

/** The rows of the contract's tables. */
const CONTRACT_ROWS = [
  'GET /workflows',
  'GET /workflows/:id',
  'GET /workflows/executions',
  'POST /workflows/:id/execute',
  'POST /workflows/:id/stream',
  'POST /workflows/:id/executions/:executionId/suspend',
  'POST /workflows/:id/executions/:executionId/resume',
  'GET /workflows/:id/executions/:executionId/state',
  'GET /agents',
  'GET /agents/:id',
  'POST /agents/:id/text',
  'POST /agents/:id/stream',
  'POST /agents/:id/object',
  'POST /agents/:id/stream-object',
  'GET /agents/:id/history',
  'GET /agents/:id/card',
  'GET /',
  'POST /setup-observability',
  'GET /updates',
  'POST /updates',
  'POST /updates/:packageName',
  'GET /doc',
  'GET /ui',
  // added to the contract
  'POST /workflows/:id/run',
  'POST /agents/:id/runs/:runId/approvals',
  'POST /workflows/:id/executions/:executionId/cancel',
  'GET /workflows/:id/executions/:executionId',
  'GET /workflows/:id/executions/:executionId/stream',
  'POST /workflows/:id/executions/:executionId/replay',
  'POST /agents/:id/chat',
  'POST /agents/:id/a2a',
  'GET /agents/:id/.well-known/agent-card.json',
  'GET /agents/:id/conversations',
  'GET /agents/:id/conversations/:conversationId/messages',
  'PATCH /agents/:id/conversations/:conversationId',
  'DELETE /agents/:id/conversations/:conversationId',
  'GET /agents/:id/working-memory',
  'PUT /agents/:id/working-memory',
  'DELETE /agents/:id/working-memory',
  'GET /observability/conversations',
  'GET /observability/approvals',
  'POST /observability/agents/:id/runs/:runId/approvals',
  'GET /observability/status',
  'GET /observability/activity',
  'GET /observability/workflows',
  'GET /observability/settings',
  'GET /observability/logs',
  'GET /observability/traces/:traceId/logs',
  'GET /observability/spans/:spanId/logs',
  'GET /api/logs',
  'GET /observability/executions',
  'GET /observability/executions/:executionId',
  'DELETE /observability/executions/:executionId',
  'POST /observability/erase',
  'GET /observability/executions/:executionId/stream',
  'POST /updates/:scope/:packageName',
  'GET /evals',
  'GET /evals/:id/cases',
  'GET /evals/:id/runs',
  'POST /evals/:id/run',
  'GET /evals/runs/:runId',
  'POST /evals/runs/:runId/cancel',
  'GET /observability/pins',
  'PUT /observability/pins/:executionId',
  'DELETE /observability/pins/:executionId',
  'GET /schedules',
  'GET /schedules/:id',
  'POST /schedules/:id/trigger',
  'POST /schedules/:id/pause',
  'POST /schedules/:id/resume',
  'GET /tools',
  'POST /tools/:name/execute',
  'GET /mcp/servers',
  'GET /mcp/servers/:serverId',
  'GET /mcp/servers/:serverId/tools',
  'GET /mcp/servers/:serverId/resources',
  'GET /mcp/servers/:serverId/resources/read',
  'GET /mcp/servers/:serverId/prompts',
  'GET /mcp/servers/:serverId/prompts/get',
  'POST /mcp/:serverId',
  'GET /mcp/:serverId',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp/:serverId',
  'GET /healthz',
  'GET /readyz',
]

const registry = new PackageRegistry({
  current: { versions: ['1.0.0'] },
  '@acme/current': { versions: ['1.0.0'] },
})
const installed = { current: '1.0.0', '@acme/current': '1.0.0' }
const project = npmProject({ dependencies: installed }, installed)
const shop = createMcpServer({ id: 'shop', name: 'Shop', tools: [add] })
const docs = connectMcpServer({
  id: 'docs',
  command: process.execPath,
  args: [fileURLToPath(new URL('mcp/content-server.mjs', import.meta.url))],
})
const authorization = new OAuthServer()
await authorization.listen()
const guarded = connectMcpServer({ id: 'protected', url: authorization.url, auth: 'oauth' })
const home = mkdtempSync(path.join(tmpdir(), 'agentserver-home-'))
vi.stubEnv('HOME', home)
const curious = createAgent({
  id: 'curious',
  name: 'Curious',
  instructions: 'Ask.',
  resumable: true,
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? 'Found' : { toolCalls: [{ toolName: 'ask', input: {} }] },
    ],
    { repeatLast: true },
  ),
  tools: [
    createTool({
      name: 'ask',
      description: 'Asks',
      inputSchema: z.object({}),
      execute: (_, { step }) => step.suspend('answer', { resumeSchema: z.object({ answer: z.string() }) }),
    }),
  ],
})
const careful = createAgent({
  id: 'careful',
  name: 'Careful',
  instructions: 'Ask first.',
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? 'Refunded' : { toolCalls: [{ toolName: 'refund', input: {} }] },
    ],
    { repeatLast: true },
  ),
  tools: [
    createTool({
      name: 'refund',
      description: 'Refunds',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => 'done',
    }),
  ],
})
const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  description: 'Helps',
  instructions: 'Be brief.',
  model: demoModel(),
  memory: { workingMemory: { type: 'object', properties: { name: { type: 'string' } } } },
})
const gate = new Gate()
const often = createWorkflow({ id: 'often' }).andThen({ id: 'a', execute: () => 'a' })
const pins = new Pins({
  root: project.root,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
  onReplayed: () => undefined,
})
const savedEvals = new FakeEvals({ small: ['a', 'b'], other: ['a'], held: [HELD] })
const server = new TestServer(
  {
    agents: [helper, careful, curious],
    tools: [add],
    mcpServers: [shop, docs, guarded],
    workflows: [...sampleWorkflows(gate), often],
    schedules: [createSchedule({ id: 'daily', cron: '@daily', workflow: often })],
  },
  { root: project.root, gate, pins, savedEvals },
)
/** Serves the endpoints that need an option. */
const opted = new TestServer({
  mcpServers: [shop],
  authNext: {
    provider: { type: 'test', verifyToken: () => null },
    publicRoutes: ['/**'],
    authorizationServers: ['https://login.example.com'],
  },
})
const serverOf = ({ onlyWith }: Endpoint) => (onlyWith ? opted : server)
let schemas: ReplySchemas
let listening: Awaited<ReturnType<TestServer['listen']>>
let done = ''
let suspended = ''

beforeAll(async () => {
  await registry.listen()
  listening = await server.listen()
  for (const [name, value] of Object.entries(registry.env)) vi.stubEnv(name, value)
  const response = await server.request('/doc')
  schemas = new ReplySchemas((await response.json()) as ApiDescription)
  done = (await server.execute('everything')).executionId
  suspended = (await server.execute('ask')).executionId
})
afterAll(async () => {
  await opted.close()
  await listening.close(0)
  await authorization.close()
  rmSync(home, { recursive: true, force: true })
  await server.close()
  await registry.close()
  project.remove()
})

interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Makes the server send its response. */
  readonly meanwhile?: () => void
}

const order = { params: { id: 'order' }, body: { input: { orderId: 'a', amount: 1 } } }
const textCall = { params: { id: 'helper' }, body: { input: 'Good morning to all of you' } }
const askedForObject = {
  params: { id: 'helper' },
  body: {
    ...textCall.body,
    schema: {
      type: 'object',
      properties: { note: { type: 'string' }, remark: { type: 'string' } },
      required: ['note', 'remark'],
    },
  },
}
const ping = { params: { serverId: 'shop' }, body: { jsonrpc: '2.0', id: 1, method: 'ping' } }
const ofDone = () => ({ params: { id: 'everything', executionId: done } })

const ofConversation = async () => {
  const options = { conversationId: 'told' }
  await server.post('/agents/helper/text', { input: 'Good morning', options })
  return { params: { id: 'helper', conversationId: 'told' } }
}

const ofResponse = async () => {
  const response = await server.post('/v1/responses', { model: 'helper', input: 'Good morning' })
  return { params: { id: ((await response.json()) as { id: string }).id } }
}

const ofMemory = async () => {
  await ofConversation()
  return { params: { conversationId: 'told' } }
}

const ofAsked = async () => {
  const asked = await dataOf<{ id: string; approvals: { approvalId: string }[] }>(
    server.post('/agents/careful/text', { input: 'Refund it' }),
  )
  const approvals = asked.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
  return { params: { id: 'careful', runId: asked.id }, body: { approvals } }
}

const ofWaiting = async () => {
  const { id } = await dataOf<{ id: string }>(server.post('/agents/curious/text', { input: 'Where is it?' }))
  return { params: { id: 'curious', runId: id }, body: { resumeData: { answer: 'Here' } } }
}

const ofRun = async () => {
  const { id } = await dataOf<{ id: string }>(server.post('/agents/helper/text', textCall.body))
  return { params: { id: 'helper', runId: id } }
}

const ofEvalRun = async (evalId = 'small') => {
  await server.post(`/evals/${evalId}/run`)
  const [{ id } = { id: '' }] = await dataOf<{ id: string }[]>(server.request(`/evals/${evalId}/runs`))
  const events = await server.request(`/evals/runs/${id}`, { headers: { accept: 'text/event-stream' } })
  await events.text()
  return { params: { runId: id } }
}

/** A signed link to a suspended execution. */
const ofLink = async () => {
  const { executionId } = await server.execute('ask')
  const record = await dataOf<{ resumeUrl: string }>(
    server.request(`/workflows/ask/executions/${executionId}`),
  )
  return { params: { token: record.resumeUrl.split('/').at(-1) ?? '' } }
}

const recorded = () => server.record('everything', done)

/** A valid request for every endpoint. */
const VALID: Readonly<Record<EndpointKey, () => Call | Promise<Call>>> = {
  listPins: () => ({}),
  pinExecution: () => ({ params: { executionId: done }, body: {} }),
  unpinExecution: async () => {
    await pins.pin(done)
    return { params: { executionId: done } }
  },
  listWorkflowCases: () => ({ params: { id: 'order' } }),
  listAgentCases: () => ({ params: { id: 'helper' } }),
  getExecutionCase: () => ({ params: { executionId: done } }),
  keepExecutionCase: () => ({ params: { executionId: done }, body: { overwrite: true } }),
  getAgentRunCase: ofRun,
  keepAgentRunCase: async () => ({ ...(await ofRun()), body: { overwrite: true } }),
  listEvals: () => ({}),
  listEvalCases: () => ({ params: { id: 'small' } }),
  listEvalRuns: () => ({ params: { id: 'small' } }),
  runEval: async () => {
    await ofEvalRun('other')
    return { params: { id: 'other' } }
  },
  getEvalRun: () => ofEvalRun(),
  cancelEvalRun: async () => {
    const started = await server.post('/evals/held/run')
    expect([202, 409]).toContain(started.status)
    const [run] = await dataOf<{ id: string }[]>(server.request('/evals/held/runs'))
    return { params: { runId: run?.id ?? '' } }
  },
  listQueues: () => ({}),
  listFailures: () => ({ query: { limit: '5', open: 'true' } }),
  listEvents: () => ({ query: { limit: '10' } }),
  listSchedules: () => ({}),
  getSchedule: () => ({ params: { id: 'daily' } }),
  triggerSchedule: () => ({ params: { id: 'daily' } }),
  pauseSchedule: () => ({ params: { id: 'daily' } }),
  resumeSchedule: () => ({ params: { id: 'daily' } }),
  sendEvent: () => ({ body: { name: 'payment', key: 'A-1', data: { paid: true } } }),
  getLanding: () => ({}),
  getApiDescription: () => ({}),
  getApiExplorer: () => ({}),
  getApiExplorerAsset: () => ({ params: { asset: 'init.js' } }),
  getConsole: () => ({}),
  getHealth: () => ({}),
  getReadiness: () => ({}),
  getObservabilityStatus: () => ({}),
  listMachines: () => ({}),
  getActivity: () => ({}),
  listWorkflowActivity: () => ({}),
  listLastHour: () => ({}),
  listAgentActivity: () => ({}),
  listToolActivity: () => ({}),
  getCosts: () => ({}),
  getExecutionCosts: ofDone,
  getWorkflowStatistics: () => ({ params: { id: 'everything' } }),
  search: () => ({ query: { q: 'status:completed everything' } }),
  getServerSettings: () => ({}),
  getMetrics: () => ({}),
  listLogs: () => ({}),
  listTracedLogs: () => ({}),
  listTraceLogs: async () => ({ params: { traceId: (await recorded()).metadata.traceId } }),
  listSpanLogs: async () => ({ params: { spanId: (await recorded()).metadata.spanId } }),
  listTraces: () => ({}),
  getTrace: async () => ({ params: { traceId: (await recorded()).metadata.traceId } }),
  getSpan: async () => ({ params: { spanId: (await recorded()).metadata.spanId } }),
  listWorkflows: () => ({}),
  getWorkflow: () => ({ params: { id: 'everything' } }),
  executeWorkflow: () => order,
  runWorkflow: () => order,
  streamWorkflow: () => order,
  listExecutions: () => ({}),
  getExecutionState: () => ({ params: { id: 'ask', executionId: suspended } }),
  getExecution: ofDone,
  followExecution: ofDone,
  observeExecutions: () => ({}),
  observeExecution: ofDone,
  followObservedExecution: ofDone,
  suspendExecution: async () => {
    const executionId = await server.startHeldExecution()
    return { params: { id: 'hold', executionId }, body: {}, meanwhile: () => gate.open(executionId) }
  },
  resumeExecution: async () => {
    const { executionId } = await server.execute('ask')
    return { params: { id: 'ask', executionId }, body: { resumeData: 'yes' } }
  },
  cancelExecution: async () => ({
    params: { id: 'hold', executionId: await server.startHeldExecution() },
    body: {},
  }),
  getLink: ofLink,
  followLink: ofLink,
  listAgents: () => ({}),
  getAgent: () => ({ params: { id: 'helper' } }),
  listAgentHistory: () => ({ params: { id: 'helper' } }),
  generateText: () => textCall,
  streamText: () => textCall,
  generateObject: () => askedForObject,
  streamObject: () => askedForObject,
  respondToRun: ofAsked,
  resumeRun: ofWaiting,
  replayRun: async () => {
    const { params } = await ofWaiting()
    return { params, body: { stepId: 'model-1' } }
  },
  listApprovals: () => ({}),
  decideApprovals: ofAsked,
  resumeWaitingRun: ofWaiting,
  tryAgent: () => ({ ...textCall, body: { input: 'Hello', instructions: 'Be brief.', tools: [] } }),
  patchInstructions: () => ({ params: { id: 'helper' }, body: { instructions: 'Be brief.' } }),
  chat: () => ({
    params: { id: 'helper' },
    body: {
      id: 'talk',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Good morning' }] }],
      trigger: 'submit-message',
    },
  }),
  listConversations: () => ({ params: { id: 'helper' } }),
  listAllConversations: () => ({}),
  listMessages: ofConversation,
  renameConversation: async () => ({ ...(await ofConversation()), body: { title: 'New' } }),
  deleteConversation: ofConversation,
  listMemoryConversations: () => ({}),
  createMemoryConversation: () => ({ body: { userId: 'ada', title: 'Plans', metadata: {} } }),
  getMemoryConversation: ofMemory,
  listMemoryMessages: ofMemory,
  updateMemoryConversation: async () => ({ ...(await ofMemory()), body: { title: 'New' } }),
  deleteMemoryConversation: ofMemory,
  deleteExecution: async () => {
    const { executionId } = await server.execute('echo', { n: 1 })
    return { params: { executionId } }
  },
  eraseUser: () => ({ body: { userId: 'nobody' } }),
  getWorkingMemory: () => ({ params: { id: 'helper' } }),
  putWorkingMemory: () => ({ params: { id: 'helper' }, body: { name: 'Ada' } }),
  deleteWorkingMemory: () => ({ params: { id: 'helper' } }),
  resumeChat: () => ({ params: { id: 'helper', chatId: 'none' } }),
  stopChat: () => ({ params: { id: 'helper', chatId: 'none' } }),
  getAgentCard: () => ({ params: { id: 'helper' } }),
  getWellKnownAgentCard: () => ({ params: { id: 'helper' } }),
  listModels: () => ({}),
  getModel: () => ({ params: { id: 'helper' } }),
  getWorkflowModel: () => ({ params: { id: 'order' } }),
  createChatCompletion: () => ({
    body: { model: 'helper', messages: [{ role: 'user', content: 'Good morning' }] },
  }),
  createResponse: () => ({ body: { model: 'helper', input: 'Good morning' } }),
  getResponse: ofResponse,
  cancelResponse: ofResponse,
  deleteResponse: ofResponse,
  callA2a: () => ({
    params: { id: 'helper' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Good morning' }] } },
    },
  }),
  runAgUi: () => ({
    params: { id: 'helper' },
    body: { threadId: 't', runId: 'r', messages: [{ id: 'm1', role: 'user', content: 'Good morning' }] },
  }),
  setupObservability: () => ({ body: { publicKey: 'pk-1', secretKey: 'sk-1' } }),
  getProtectedResource: () => ({}),
  getProtectedMcpServer: () => ({ params: { serverId: 'shop' } }),
  listMcpServers: () => ({}),
  getMcpServer: () => ({ params: { serverId: 'shop' } }),
  listMcpTools: () => ({ params: { serverId: 'shop' } }),
  listMcpResources: () => ({ params: { serverId: 'docs' } }),
  readMcpResource: () => ({ params: { serverId: 'docs' }, query: { uri: 'docs://a' } }),
  listMcpPrompts: () => ({ params: { serverId: 'docs' } }),
  getMcpPrompt: () => ({
    params: { serverId: 'docs' },
    query: { name: 'reply', arguments: '{"to":"Ada"}' },
  }),
  startMcpLogin: () => ({ params: { serverId: 'protected' } }),
  finishMcpLogin: async () => {
    const { link } = await dataOf<{ link: string }>(server.post('/mcp/servers/protected/login'))
    const { headers } = await fetch(link, { redirect: 'manual' })
    return { query: Object.fromEntries(new URL(headers.get('location') ?? '').searchParams) }
  },
  callMcpServer: () => ping,
  getLlmsText: () => ({}),
  callCodingServer: () => ({ body: ping.body }),
  listenToMcpServer: () => ({ params: ping.params }),
  listTools: () => ({}),
  executeTool: () => ({ params: { name: 'add' }, body: { input: { a: 1, b: 2 } } }),
  getUpdates: () => ({}),
  installUpdates: () => ({ body: {} }),
  installUpdate: () => ({ params: { packageName: '@acme/current' } }),
  installScopedUpdate: () => ({ params: { scope: '@acme', packageName: 'current' } }),
  replayExecution: () => ({ ...ofDone(), body: { stepId: 'both' } }),
  cancelExecutions: () => ({ body: { filter: { 'metadata.batch': 'none' }, dryRun: true } }),
  replayExecutions: () => ({ body: { filter: { workflowId: 'everything', 'metadata.batch': 'none' } } }),
}

/** Valid ids that don't exist. */
const ABSENT: Readonly<Record<string, string>> = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }

function pathOf(key: EndpointKey, params: Readonly<Record<string, string>> = {}): string {
  return ENDPOINTS[key].path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? `no ${name}`),
  )
}

async function send(
  key: EndpointKey,
  { params, query, body, meanwhile }: Call,
  method: string = ENDPOINTS[key].method,
) {
  const path = `${pathOf(key, params)}${query ? `?${String(new URLSearchParams(query))}` : ''}`
  const sent = serverOf(ENDPOINTS[key]).request(path, { method, ...(body !== undefined && { json: body }) })
  if (meanwhile) void turns().then(meanwhile)
  return sent
}

function isRequired(query: Endpoint['query'], name: string): boolean {
  const field = query?.shape[name] as ZodType | undefined
  return field !== undefined && !field.safeParse(undefined).success
}

describe.each(ENDPOINT_LIST)('%s', (key, endpoint) => {
  const { reply } = endpoint

  it.runIf(reply.kind === 'data')('responds to a valid request with the described data', async () => {
    const response = await send(key, await VALID[key]())
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const status = reply.kind === 'data' ? reply.status : undefined
    const beside = Object.keys((reply.kind === 'data' && reply.beside?.shape) || {})
    const body: unknown = await response.clone().json()
    const data = await dataOf(response, status, beside)
    expect(schemas.problemsOf(key, body, status)).toEqual([])
    expect(reply.kind === 'data' && reply.schema.safeParse(data).error).toBeUndefined()
  })

  it.runIf(reply.kind === 'events' && reply.optional)(
    'responds without a stream when there is none',
    async () => {
      const response = await send(key, await VALID[key]())
      expect([response.status, await response.text()]).toEqual([204, ''])
    },
  )

  // the stream of MCP notifications sends nothing while nothing changes
  it.runIf(reply.kind === 'events' && !reply.optional && key !== 'listenToMcpServer')(
    'responds to a valid request with the described events',
    async () => {
      const messages = await messagesOf(send(key, await VALID[key]()))
      expect(messages.length).toBeGreaterThan(3)
      expect(messages.flatMap(({ event }) => schemas.problemsOf(key, event))).toEqual([])
    },
  )

  it.runIf(reply.kind === 'document')('responds to a valid request with a document', async () => {
    const response = await send(key, await VALID[key]())
    expect(response.status).toBe(200)
    const type = response.headers.get('content-type') ?? ''
    expect(reply.kind === 'document' && ['*/*', type.split(';')[0]]).toContain(
      reply.kind === 'document' && reply.type,
    )
    const text = await response.text()
    expect(text).not.toBe('')
    const isJson = type === 'application/json'
    expect(schemas.problemsOf(key, isJson ? JSON.parse(text) : text)).toEqual([])
  })

  it.runIf(reply.kind === 'protocol')('responds to a valid request with a described media type', async () => {
    const response = await send(key, await VALID[key]())
    expect(response.status).toBeLessThan(500)
    const type = response.headers.get('content-type')?.split(';')[0]
    // its successful responses are streams
    const isStream = key === 'runAgUi'
    expect(type).toBe(isStream ? 'text/event-stream' : 'application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const bodies: unknown[] = isStream
      ? (await messagesOf(response)).map(({ event }) => event)
      : [await response.json()]
    expect(bodies.flatMap((body) => schemas.problemsOf(key, body))).toEqual([])
  })

  it('is in /doc with its path, parameters, body and errors', () => {
    const operation = schemas.operation(key)
    expect(`${operation.method} ${operation.path}`).toBe(
      `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
    )
    const wildcard = endpoint.path.endsWith('*') ? ['path path'] : []
    const declared = (['params', 'query', 'headers'] as const).flatMap((part) =>
      Object.keys(endpoint[part]?.shape ?? {}).map((name) => `${PLACES[part]} ${name}`),
    )
    expect((operation.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual([
      ...wildcard,
      ...declared,
    ])
    for (const parameter of operation.parameters ?? [])
      expect(parameter.required ?? false).toBe(
        parameter.in === 'path' || isRequired(endpoint.query, parameter.name),
      )
    expect(operation.requestBody !== undefined).toBe(endpoint.body !== undefined)
    expect(operation.requestBody?.required ?? false).toBe(
      endpoint.body !== undefined && endpoint.bodyOptional !== true,
    )
    expect(operation.summary).not.toBe('')
    const statuses = Object.keys(operation.responses).map(Number)
    const success = reply.kind === 'data' ? (reply.status ?? 200) : 200
    expect(statuses).toEqual(expect.arrayContaining([success, 400, 401, 403, 500, 503, ...endpoint.errors]))
    expect(statuses.includes(202)).toBe('accepted' in reply || success === 202)
    expect(statuses.includes(304)).toBe('revalidated' in endpoint.reply)
  })

  it('responds to other methods with 405 and Allow', async () => {
    const { params = {} } = await VALID[key]()
    const path = pathOf(key, params)
    const allowed = ENDPOINT_LIST.filter(([other]) => samePath(ENDPOINTS[other].path, endpoint.path)).flatMap(
      ([, { method }]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]),
    )
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      if (allowed.includes(method)) continue
      const response = await serverOf(endpoint).request(path, { method })
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted())
      expect(response.status).toBe(405)
      const message = method === 'HEAD' ? '' : await refusalOf(response, 405)
      expect(message).toContain(method === 'HEAD' ? '' : method)
    }
  })

  it.runIf(endpoint.method === 'GET')('responds to HEAD like GET, without a body', async () => {
    const call = await VALID[key]()
    const head = await send(key, call, 'HEAD')
    const get = await send(key, call)
    expect(head.status).toBe(get.status)
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    expect(await head.text()).toBe('')
    await get.body?.cancel()
  })

  it('refuses a repeated query parameter, and ignores an unknown one', async () => {
    const { params, body, query = {} } = await VALID[key]()
    const path = pathOf(key, {
      id: 'order',
      executionId: params?.['executionId'] ?? done,
      runId: 'unknown',
      asset: 'init.js',
      name: 'add',
      serverId: 'shop',
      scope: '@acme',
      packageName: 'current',
      ...ABSENT,
    })
    const required = String(new URLSearchParams(query))
    const ask = (more: string) =>
      serverOf(endpoint).request(`${path}?${required}&${more}`, {
        method: endpoint.method,
        ...(body !== undefined && { json: body }),
      })
    expect(await refusalOf(ask('x=1&y=2&x=1'), 400)).toBe('x: Must not be repeated')
    const response = await ask('x=1')
    expect(response.status).not.toBe(400)
    await response.body?.cancel()
  })

  it.runIf(endpoint.params)('responds to unknown ids with 404', async () => {
    const { params = {}, ...call } = await VALID[key]()
    for (const name of Object.keys(endpoint.params?.shape ?? {})) {
      // the ids of chats are the client's; one without an answer in progress is no error
      if (name === 'chatId' || (reply.kind === 'events' && reply.optional)) continue
      const response = await send(key, { ...call, params: { ...params, [name]: ABSENT[name] ?? 'unknown' } })
      expect(await refusalOf(response, 404)).toMatch(/unknown|not found/i)
    }
  })

  it.runIf(endpoint.params && endpoint.reply.kind !== 'document')('refuses an invalid id', async () => {
    const { params = {}, body } = await VALID[key]()
    // clients choose any text as the id of a conversation
    const free = new Set(['conversationId', 'chatId'])
    const names = Object.keys(endpoint.params?.shape ?? {}).filter((name) => !free.has(name))
    for (const name of names) {
      const response = await send(key, { params: { ...params, [name]: '__proto__' }, body })
      // there is no stream for an id that can't exist
      if (reply.kind === 'events' && reply.optional) expect(response.status).toBe(204)
      else expect(await refusalOf(response, 400)).toContain(`${name}: Must be`)
    }
  })

  it.runIf(endpoint.body && !endpoint.bodyOptional)('requires a body', async () => {
    const { params } = await VALID[key]()
    const url = pathOf(key, params)
    expect(await refusalOf(serverOf(endpoint).request(url, { method: endpoint.method }), 400)).toBe(
      'A JSON body is required',
    )
  })
})

const PLACES = { params: 'path', query: 'query', headers: 'header' } as const

/** Whether two patterns can match the same path: `/workflows/:id` matches `/workflows/executions`. */
function samePath(one: string, other: string): boolean {
  const [left, right] = [one.split('/'), other.split('/')]
  if (left.length !== right.length) return false
  return left.every((part, index) => part === right[index])
}

describe('the endpoint table', () => {
  it('has every row of the contract', () => {
    const rows = ENDPOINT_LIST.map(([, { method, path }]) => `${method} ${path}`)
    expect(CONTRACT_ROWS.filter((row) => !rows.includes(row))).toEqual([])
    expect(new Set(rows).size).toBe(rows.length)
  })

  it('lists the same endpoints as /doc', async () => {
    const { paths } = (await (await server.request('/doc')).json()) as ApiDescription
    const keys = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(keys.toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted())
  })

  it('has a client method for every endpoint', () => {
    const { console, ...api } = createClient({ baseUrl: 'http://localhost', fetch: server.fetch }).api
    const methods = { ...api, ...console }
    expect(Object.keys(methods).toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted())
    for (const key of Object.keys(ENDPOINTS) as EndpointKey[]) expect(methods[key]).toBeTypeOf('function')
    for (const key of Object.keys(console) as EndpointKey[]) expect(ENDPOINTS[key].tag).toBe('Console')
  })

  it.each([
    '/nothing',
    '/workflows/',
    '/Workflows',
    '/workflows//order',
    '/doc/x',
    '/api',
    '/workflows;x=1',
    '/.env',
  ])('has no route %s', async (path) => {
    expect(await refusalOf(server.request(path), 404)).toContain('Route not found: ')
    expect(await refusalOf(server.post(path), 404)).toContain('Route not found: ')
  })
})
