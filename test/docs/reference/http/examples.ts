import type { EndpointKey } from '../../../../src/contract/index.ts'
import type { AgentAnswer } from '../../../../src/contract/endpoints/agent.ts'
import type { EvalRun } from '../../../../src/contract/endpoints/project/evals.ts'
import type { ExecutionDetail } from '../../../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../../../src/contract/event.ts'
import type { TraceDetail } from '../../../../src/contract/endpoints/trace.ts'
import { dataOf } from '../../../support/server/responses.ts'
import { turns } from '../../../support/turns.ts'
import { until } from '../../../support/until.ts'
import { ExampleServer } from './example-server.ts'
import { connectedShop, payout } from './shop.ts'

/** The request of an example. Its method is that of the endpoint. */
export interface ExampleRequest {
  readonly path: string
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What happens while the server handles the request. */
  readonly meanwhile?: () => Promise<void>
  /** The server that the request is for, if it is not that of the example. */
  readonly server?: ExampleServer
  /** The response is a stream that stays open: only its headers are read. */
  readonly staysOpen?: true
}

/** Prepares what a request is about, and returns it. */
export type Example = (server: ExampleServer) => ExampleRequest | Promise<ExampleRequest>

const at =
  (path: string): Example =>
  () => ({ path })

/** A request about an expense that has ended, or waits above 100. */
const ofExpense =
  (pathOf: (executionId: string) => string, json?: unknown, amount?: number): Example =>
  async (server) => ({ path: pathOf((await server.expense(amount)).executionId), json })

/** A request about a shipment that has ended. */
const ofShipment =
  (pathOf: (executionId: string) => string): Example =>
  async (server) => {
    server.held.released.resolve()
    const { executionId } = await server.post<ExecutionResult>('/workflows/shipment/execute', {
      input: { orderId: 'A-1' },
    })
    return { path: pathOf(executionId) }
  }

const ofAnswer =
  (pathOf: (run: AgentAnswer) => string, json?: unknown): Example =>
  async (server) => ({ path: pathOf(await server.answer()), json })

const atExpense = (action: string) => (id: string) => `/workflows/expense/executions/${id}${action}`

const WAITS = 250
const approved = { resumeData: { approvedBy: 'Grace' } }
const input = { employee: 'Ada', amount: 80 }
const options = { userId: 'ada', conversationId: 'c1' }
const question = { input: 'Where is order A-1?', options }
const chatBody = (text: string) => ({
  id: 'c1',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
})
const objectBody = {
  input: 'Order A-1 has to arrive today!',
  schema: {
    type: 'object',
    properties: { orderId: { type: 'string' }, urgent: { type: 'boolean' } },
    required: ['orderId', 'urgent'],
  },
}

const ofResponse =
  (action = ''): Example =>
  async (server) => {
    const created = await server.send('POST', '/v1/responses', {
      model: 'support',
      input: 'Where is order A-1?',
    })
    const { id } = (await created.json()) as { id: string }
    return { path: `/v1/responses/${id}${action}` }
  }

const approvals =
  (root: string): Example =>
  async (server) => {
    const { id, approvals: waiting = [] } = await server.answer('cashier', 'I returned order A-1.')
    return {
      path: `${root}/agents/cashier/runs/${id}/approvals`,
      json: { approvals: waiting.map(({ approvalId }) => ({ approvalId, approved: true })) },
    }
  }

const place =
  (root: string): Example =>
  async (server) => {
    const { id } = await server.answer('courier', 'Deliver order A-1.')
    return {
      path: `${root}/agents/courier/runs/${id}/resume`,
      json: { resumeData: { place: 'At the door' } },
    }
  }

/** A chat whose answer is running; `prepared` is its request. */
const ofRunningChat =
  (prepared: ExampleRequest): Example =>
  async (server) => {
    const chat = await server.send('POST', '/agents/packer/chat', chatBody('Pack order A-1.'))
    await server.held.started.promise
    server.onClose(() => chat.text())
    return {
      ...prepared,
      meanwhile: async () => {
        await turns()
        server.held.released.resolve()
      },
    }
  }

const ofLink =
  (json?: unknown): Example =>
  async (server) => {
    const { executionId } = await server.expense(WAITS)
    const { resumeUrl = '' } = await dataOf<ExecutionDetail>(server.send('GET', atExpense('')(executionId)))
    return { path: new URL(resumeUrl).pathname, json }
  }

/** A request to a server that is connected to the MCP server of the shop. */
const ofConnected =
  (path: string): Example =>
  async (server) => {
    const { url } = await server.listen()
    const client = new ExampleServer(connectedShop(`${url}/mcp/orders`))
    server.onClose(() => client.close())
    await until(async () => (await client.send('GET', path)).ok, path)
    return { path, server: client }
  }

/** A request to a server whose tokens an authorization server issues. */
const protectedAt =
  (path: string): Example =>
  (server) => {
    const provider = { type: 'oauth', verifyToken: () => null }
    const authorizationServers = ['https://login.example.com']
    const guarded = new ExampleServer({ authNext: { provider, authorizationServers } })
    server.onClose(() => guarded.close())
    return { path, server: guarded }
  }

const ofTrace =
  (pathOf: (ids: { traceId: string; spanId: string }) => string): Example =>
  async (server) => {
    const { traceId } = await server.answer()
    const { spans } = await dataOf<TraceDetail>(server.send('GET', `/observability/traces/${traceId}`))
    return {
      path: pathOf({
        traceId,
        spanId: spans.find(({ name }) => name.startsWith('execute_tool'))?.spanId ?? '',
      }),
    }
  }

const evalRun = async (server: ExampleServer) => {
  const run = await server.post<EvalRun>('/evals/statuses/run', {}, 202)
  await until(
    async () => (await dataOf<EvalRun>(server.send('GET', `/evals/runs/${run.id}`))).status !== 'running',
    'the run of the eval',
  )
  return run
}

/** A working request to every endpoint; `undefined` for files of the build, without which the tests of the documentation run. */
export const EXAMPLES: Readonly<Record<EndpointKey, Example | undefined>> = {
  // workflows
  listWorkflows: at('/workflows'),
  getWorkflow: at('/workflows/expense'),
  executeWorkflow: () => ({ path: '/workflows/expense/execute', json: { input } }),
  runWorkflow: () => ({
    path: '/workflows/expense/run',
    json: { input: { employee: 'Ada', amount: WAITS }, options: { userId: 'ada' } },
  }),
  streamWorkflow: () => ({ path: '/workflows/expense/stream', json: { input } }),

  // executions
  listExecutions: ofExpense(() => '/workflows/executions?workflowId=expense&limit=10'),
  cancelExecutions: ofExpense(
    () => '/workflows/executions/cancel',
    { filter: { workflowId: 'expense', status: 'suspended' }, reason: 'The quarter is closed' },
    WAITS,
  ),
  replayExecutions: ofExpense(() => '/workflows/executions/replay', {
    filter: { workflowId: 'expense', status: 'completed' },
    stepId: 'pay',
  }),
  getExecutionState: ofExpense(atExpense('/state'), undefined, WAITS),
  getExecution: ofExpense(atExpense('')),
  followExecution: ofExpense(atExpense('/stream')),
  suspendExecution: async (server) => ({
    path: `/workflows/shipment/executions/${await server.shipment()}/suspend`,
    json: { reason: 'The address is wrong' },
    meanwhile: async () => {
      await turns()
      server.held.released.resolve()
    },
  }),
  resumeExecution: ofExpense(atExpense('/resume'), approved, WAITS),
  cancelExecution: ofExpense(atExpense('/cancel'), { reason: 'Not needed any more' }, WAITS),
  replayExecution: ofExpense(atExpense('/replay'), { stepId: 'pay' }),
  sendEvent: (server) => {
    server.held.released.resolve()
    return { path: '/events', json: { name: 'order.created', key: 'A-1', data: { orderId: 'A-1' } } }
  },
  getLink: ofLink(),
  followLink: ofLink(approved),

  // schedules
  listSchedules: at('/schedules'),
  getSchedule: at('/schedules/daily-expense'),
  triggerSchedule: at('/schedules/daily-expense/trigger'),
  pauseSchedule: at('/schedules/daily-expense/pause'),
  resumeSchedule: async (server) => {
    await server.post('/schedules/daily-expense/pause', {})
    return { path: '/schedules/daily-expense/resume' }
  },

  // agents
  listAgents: at('/agents'),
  getAgent: at('/agents/support'),
  listAgentHistory: ofAnswer(() => '/agents/support/history?limit=10'),
  generateText: () => ({ path: '/agents/support/text', json: question }),
  streamText: () => ({ path: '/agents/support/stream', json: question }),
  generateObject: () => ({ path: '/agents/support/object', json: objectBody }),
  streamObject: () => ({ path: '/agents/support/stream-object', json: objectBody }),
  respondToRun: approvals(''),
  resumeRun: place(''),
  replayRun: async (server) => {
    const { id } = await server.answer('courier', 'Deliver order A-1.')
    await server.post(`/agents/courier/runs/${id}/resume`, { resumeData: { place: 'At the door' } })
    return { path: `/agents/courier/runs/${id}/replay`, json: { stepId: 'model-2' } }
  },
  chat: () => ({ path: '/agents/support/chat', json: chatBody('Where is order A-1?') }),
  resumeChat: ofRunningChat({ path: '/agents/packer/chat/c1/stream' }),
  stopChat: ofRunningChat({ path: '/agents/packer/chat/c1/stop' }),
  listConversations: ofAnswer(() => '/agents/support/conversations?userId=ada'),
  listMessages: ofAnswer(() => '/agents/support/conversations/c1/messages?userId=ada'),
  renameConversation: ofAnswer(() => '/agents/support/conversations/c1?userId=ada', { title: 'Order A-1' }),
  deleteConversation: ofAnswer(() => '/agents/support/conversations/c1?userId=ada'),
  listMemoryConversations: ofAnswer(() => '/api/memory/conversations?userId=ada'),
  createMemoryConversation: () => ({
    path: '/api/memory/conversations',
    json: { userId: 'ada', conversationId: 'c2', resourceId: 'support', title: 'Order A-1' },
  }),
  getMemoryConversation: ofAnswer(() => '/api/memory/conversations/c1?userId=ada'),
  listMemoryMessages: ofAnswer(() => '/api/memory/conversations/c1/messages?userId=ada'),
  updateMemoryConversation: ofAnswer(() => '/api/memory/conversations/c1?userId=ada', {
    title: 'Order A-1',
  }),
  deleteMemoryConversation: ofAnswer(() => '/api/memory/conversations/c1?userId=ada'),
  getWorkingMemory: async (server) => {
    await server.send('PUT', '/agents/support/working-memory?userId=ada', { language: 'de' })
    return { path: '/agents/support/working-memory?userId=ada' }
  },
  putWorkingMemory: () => ({
    path: '/agents/support/working-memory?userId=ada',
    json: { language: 'de' },
  }),
  deleteWorkingMemory: at('/agents/support/working-memory?userId=ada'),
  listApprovals: async (server) => {
    await server.answer('cashier', 'I returned order A-1.')
    return { path: '/observability/approvals' }
  },
  decideApprovals: approvals('/observability'),
  resumeWaitingRun: place('/observability'),

  // protocols
  getAgentCard: at('/agents/support/card'),
  getWellKnownAgentCard: at('/agents/support/.well-known/agent-card.json'),
  listModels: at('/v1/models'),
  getModel: at('/v1/models/support'),
  getWorkflowModel: at('/v1/models/workflow/expense'),
  createChatCompletion: () => ({
    path: '/v1/chat/completions',
    json: { model: 'support', messages: [{ role: 'user', content: 'Where is order A-1?' }] },
  }),
  createResponse: () => ({
    path: '/v1/responses',
    json: { model: 'support', input: 'Where is order A-1?' },
  }),
  getResponse: ofResponse(),
  cancelResponse: ofResponse('/cancel'),
  deleteResponse: ofResponse(),
  callA2a: () => ({
    path: '/agents/support/a2a',
    headers: { 'A2A-Version': '1.0' },
    json: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Where is order A-1?' }] },
      },
    },
  }),
  runAgUi: () => ({
    path: '/agents/support/ag-ui',
    json: {
      threadId: 'c1',
      runId: 'r1',
      messages: [{ id: 'm1', role: 'user', content: 'Where is order A-1?' }],
    },
  }),
  getProtectedResource: protectedAt('/.well-known/oauth-protected-resource'),
  getProtectedMcpServer: protectedAt('/.well-known/oauth-protected-resource/mcp/orders'),
  listMcpServers: at('/mcp/servers'),
  getMcpServer: at('/mcp/servers/orders'),
  listMcpTools: at('/mcp/servers/orders/tools'),
  listMcpResources: at('/mcp/servers/orders/resources'),
  readMcpResource: ofConnected('/mcp/servers/orders/resources/read?uri=handbook://refunds'),
  listMcpPrompts: at('/mcp/servers/orders/prompts'),
  getMcpPrompt: ofConnected(
    `/mcp/servers/orders/prompts/get?name=reply&arguments=${encodeURIComponent('{"orderId":"A-1"}')}`,
  ),
  // its links depend on the place of the project
  getLlmsText: undefined,
  startMcpLogin: undefined,
  finishMcpLogin: undefined,
  callMcpServer: () => ({
    path: '/mcp/orders',
    headers: { Accept: 'application/json, text/event-stream' },
    json: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'order-status', arguments: { orderId: 'A-1' } },
    },
  }),
  callCodingServer: () => ({
    path: '/mcp/dev',
    headers: { Accept: 'application/json, text/event-stream' },
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'failures', arguments: {} } },
  }),
  listenToMcpServer: async (server) => {
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'example', version: '1' },
      },
    }
    const accept = 'application/json, text/event-stream'
    const opened = await server.send('POST', '/mcp/orders', initialize, { accept })
    const session = opened.headers.get('mcp-session-id') ?? ''
    await opened.text()
    return {
      path: '/mcp/orders',
      headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session },
      staysOpen: true,
    }
  },
  listTools: at('/tools'),
  executeTool: () => ({
    path: '/tools/refund/execute',
    json: { input: { orderId: 'A-1', amount: 25 }, approve: true },
  }),

  // evals
  listEvals: at('/evals'),
  listEvalCases: at('/evals/statuses/cases'),
  listEvalRuns: async (server) => {
    await evalRun(server)
    return { path: '/evals/statuses/runs' }
  },
  runEval: at('/evals/statuses/run'),
  getEvalRun: async (server) => ({ path: `/evals/runs/${(await evalRun(server)).id}` }),
  cancelEvalRun: async (server) => ({
    path: `/evals/runs/${(await server.post<EvalRun>('/evals/long/run', {}, 202)).id}/cancel`,
  }),

  // observability
  observeExecutions: ofExpense(() => '/observability/executions?status=completed'),
  observeExecution: ofExpense((id) => `/observability/executions/${id}`),
  deleteExecution: ofExpense((id) => `/observability/executions/${id}`),
  followObservedExecution: ofExpense((id) => `/observability/executions/${id}/stream`),
  listFailures: async (outer) => {
    const server = new ExampleServer({ workflows: [payout], schedules: [] })
    outer.onClose(() => server.close())
    for (const account of ['A-1', 'A-2'])
      await server.send('POST', '/workflows/payout/execute', { input: { account } })
    return { server, path: '/observability/failures' }
  },
  listQueues: at('/observability/queues'),
  listEvents: async (server) => {
    server.held.released.resolve()
    await server.post('/events', { name: 'order.created', key: 'A-1', data: { orderId: 'A-1' } })
    return { path: '/observability/events' }
  },
  listAllConversations: ofAnswer(() => '/observability/conversations'),
  getMetrics: at('/observability/metrics'),
  getObservabilityStatus: at('/observability/status'),
  listMachines: at('/observability/machines'),
  getActivity: ofExpense(() => '/observability/activity'),
  listLastHour: ofExpense(() => '/observability/activity/last-hour'),
  listWorkflowActivity: ofExpense(() => '/observability/workflows'),
  listAgentActivity: ofAnswer(() => '/observability/agents'),
  listToolActivity: ofAnswer(() => '/observability/tools'),
  getCosts: ofAnswer(() => '/observability/costs'),
  getExecutionCosts: ofExpense((id) => `/observability/executions/${id}/costs`),
  getWorkflowStatistics: ofExpense(() => '/observability/workflows/expense/statistics'),
  search: ofExpense(() => '/observability/search?q=Ada'),
  getServerSettings: at('/observability/settings'),
  eraseUser: async (server) => {
    await server.expense()
    // a search waits until the execution is in the index, which is erased, too
    await (await server.send('GET', '/observability/search?q=Ada')).text()
    return { path: '/observability/erase', json: { userId: 'ada' } }
  },
  listTraces: ofAnswer(() => '/observability/traces?agentId=support'),
  getTrace: ofTrace(({ traceId }) => `/observability/traces/${traceId}?limit=2`),
  getSpan: ofTrace(({ spanId }) => `/observability/spans/${spanId}`),
  listLogs: ofShipment((id) => `/api/logs?executionId=${id}&limit=2`),
  listTracedLogs: ofShipment((id) => `/observability/logs?executionId=${id}&limit=2`),
  listTraceLogs: ofTrace(({ traceId }) => `/observability/traces/${traceId}/logs?limit=2`),
  listSpanLogs: ofTrace(({ spanId }) => `/observability/spans/${spanId}/logs?limit=2`),

  // console
  tryAgent: () => ({
    path: '/observability/agents/support/trials',
    json: { input: 'Where is order A-1?', instructions: 'Answer in French.', executeTools: true },
  }),
  patchInstructions: () => ({
    path: '/observability/agents/support/instructions/patch',
    json: { instructions: 'Answer in two sentences. Look up orders, never guess.' },
  }),
  listPins: async (server) => {
    const { executionId } = await server.expense()
    await server.send('PUT', `/observability/pins/${executionId}`, { stepId: 'pay' })
    return { path: '/observability/pins' }
  },
  pinExecution: ofExpense((id) => `/observability/pins/${id}`, { stepId: 'pay' }),
  unpinExecution: async (server) => {
    const { executionId } = await server.expense()
    await server.send('PUT', `/observability/pins/${executionId}`, { stepId: 'pay' })
    return { path: `/observability/pins/${executionId}` }
  },
  getExecutionCase: ofExpense((id) => `/observability/executions/${id}/case`),
  keepExecutionCase: ofExpense((id) => `/observability/executions/${id}/case`, {
    path: 'cases/expense/small.json',
  }),
  getAgentRunCase: ofAnswer(({ id }) => `/observability/agents/support/runs/${id}/case`),
  keepAgentRunCase: ofAnswer(({ id }) => `/observability/agents/support/runs/${id}/case`, {
    path: 'cases/support/status.json',
  }),
  listWorkflowCases: async (server) => {
    const { executionId } = await server.expense()
    const path = 'cases/expense/listed.json'
    await server.post(`/observability/executions/${executionId}/case`, { path, overwrite: true })
    return { path: '/observability/workflows/expense/cases' }
  },
  listAgentCases: async (server) => {
    const { id } = await server.answer()
    const path = 'cases/support/listed.json'
    await server.post(`/observability/agents/support/runs/${id}/case`, { path, overwrite: true })
    return { path: '/observability/agents/support/cases' }
  },

  // the server and its project
  setupObservability: () => ({
    path: '/setup-observability',
    json: { publicKey: 'pk-1', secretKey: 'sk-1', endpoint: 'https://otel.example' },
  }),
  getUpdates: at('/updates'),
  installUpdates: () => ({ path: '/updates' }),
  installUpdate: at('/updates/slugs'),
  installScopedUpdate: at('/updates/@shop/slugs'),
  getLanding: at('/'),
  getApiDescription: at('/doc'),
  getApiExplorer: at('/ui'),
  getApiExplorerAsset: undefined,
  getConsole: undefined,
  getHealth: at('/healthz'),
  getReadiness: at('/readyz'),
}
