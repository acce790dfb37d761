import { setTimeout } from 'node:timers/promises'
import { createAgent, createTool, createWorkflow, andThen, demoModel } from 'agentserver'
import type { AgentServerConfig, AuthorizeRequest } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { resourceIn } from '../../src/contract/access/resource.ts'
import { DEV, GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'

const ask = andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('why') })
const open = createWorkflow({ id: 'open' }, ask)
const closed = createWorkflow({ id: 'closed', resumableBy: 'owner' }, ask)
const aroundClosed = createWorkflow({ id: 'around-closed' }).andWorkflow({ id: 'down', workflow: closed })
const closedAroundOpen = createWorkflow({ id: 'closed-around', resumableBy: 'owner' }).andWorkflow({
  id: 'down',
  workflow: open,
})
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model: demoModel() })
const echo = createTool({
  name: 'echo',
  description: 'Echoes',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})

const workflows = [open, closed, aroundClosed, closedAroundOpen]
const parts = { workflows, agents: [clerk], tools: [echo] }
// without console routes, every route is a user route
const everyRoute = { provider: provider(), consoleRoutes: [] }

const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))
const nameless = bearer(await tokenOf({ role: 'clerk' }))

type Headers = Readonly<Record<string, string>>

/** The endpoints whose path names an execution, with a valid body. */
const BODIES: Readonly<Record<string, object>> = {
  resumeExecution: { resumeData: 1 },
  replayExecution: { stepId: 'ask' },
  suspendExecution: {},
  cancelExecution: {},
}
const ofExecutions = ENDPOINT_LIST.filter(([, { path }]) => resourceIn(path)?.kind === 'execution')

async function start(server: GuardedServer, workflow: string, headers: Headers): Promise<string> {
  const json = { input: {} }
  const response = await server.request(`/workflows/${workflow}/execute`, { method: 'POST', headers, json })
  const { data } = (await response.json()) as { data: { executionId: string } }
  return data.executionId
}

/** The endpoints that another user, whose request has these headers, may not use for a new execution. */
async function closedTo(
  server: GuardedServer,
  headers: Headers,
  { workflow = 'open', owner = ada }: { workflow?: string; owner?: Headers } = {},
): Promise<string[]> {
  const refused: string[] = []
  for (const [key, { method, path }] of ofExecutions) {
    const executionId = await start(server, workflow, owner)
    const target = path.replace(':id', workflow).replace(':executionId', executionId)
    const json = BODIES[key]
    const response = await server.request(target, { method, headers, ...(json && { json }) })
    if (response.headers.get('content-type') === 'text/event-stream') await response.body?.cancel()
    else {
      const body = (await response.json()) as { error?: string }
      if (response.status === 404) expect(body.error).toBe(`Execution not found: ${executionId}`)
    }
    if (response.status === 404) refused.push(key)
    // only `dev` has pins
    else expect([200, 400, 409]).toContain(response.status)
  }
  return refused
}

const READS = [
  'getExecution',
  'followExecution',
  'observeExecution',
  'followObservedExecution',
  'getExecutionCosts',
  'getExecutionCase',
] as const
const COMMANDS = [
  'cancelExecution',
  'deleteExecution',
  'replayExecution',
  'pinExecution',
  'unpinExecution',
  'keepExecutionCase',
] as const
const SUSPENSIONS = ['suspendExecution', 'resumeExecution'] as const
const ALL = [...READS, ...COMMANDS, ...SUSPENSIONS, 'getExecutionState'] as const

interface Rule {
  readonly config: AgentServerConfig
  /** The endpoints that are closed to another user: in general, and for a workflow resumable by its owner. */
  readonly closed: readonly string[]
  readonly closedIfResumableByOwner: readonly string[]
}

const RULES: Readonly<Record<string, Rule>> = {
  'the default': {
    config: { authNext: everyRoute },
    closed: [...READS, ...COMMANDS],
    closedIfResumableByOwner: [...READS, ...COMMANDS, ...SUSPENSIONS],
  },
  "ownership: 'strict'": {
    config: { authNext: { ...everyRoute, ownership: 'strict' } },
    closed: ALL,
    closedIfResumableByOwner: ALL,
  },
  'legacy auth': {
    config: { auth: provider() },
    closed: COMMANDS,
    closedIfResumableByOwner: [...COMMANDS, ...SUSPENSIONS],
  },
}

describe.each(Object.entries(RULES))('under %s', (_, rule) => {
  let server: GuardedServer
  beforeAll(() => {
    server = new GuardedServer({ ...parts, ...rule.config })
  })
  afterAll(() => server.close())
  const sorted = (keys: readonly string[]) => [...keys].toSorted()

  it('an execution is closed to other users for exactly these endpoints', async () => {
    expect(sorted(await closedTo(server, bob))).toEqual(sorted(rule.closed))
    expect(sorted(await closedTo(server, nameless))).toEqual(sorted(rule.closed))
    expect(sorted(await closedTo(server, bob, { owner: nameless }))).toEqual(sorted(rule.closed))
  })

  it('is open to its owner, and to operators', async () => {
    expect(await closedTo(server, ada)).toEqual([])
    expect(await closedTo(server, nameless, { owner: nameless })).toEqual([])
    expect(await closedTo(server, DEV)).toEqual([])
    expect(await closedTo(server, ada, { workflow: 'closed' })).toEqual([])
  })

  it('one without an owner is open to every user', async () => {
    expect(await closedTo(server, bob, { owner: DEV })).toEqual([])
    expect(await closedTo(server, bob, { owner: DEV, workflow: 'closed' })).toEqual([])
  })

  it("resumableBy: 'owner' closes suspend and resume, also where a parent or a child declares it", async () => {
    const expected = sorted(rule.closedIfResumableByOwner)
    for (const workflow of ['closed', 'around-closed', 'closed-around']) {
      const found = await closedTo(server, bob, { workflow })
      // only a step of the workflow itself can be replayed
      expect(sorted(found)).toEqual(expected)
    }
  })
})

it('every endpoint whose path names a resource declares its action', () => {
  const found = ENDPOINT_LIST.flatMap(([key, { path, action }]) => {
    const kind = resourceIn(path)?.kind
    return kind === undefined ? [] : [`${key}: ${action} ${kind}`]
  })
  expect(found.toSorted()).toEqual([
    'callA2a: chat agent',
    'cancelExecution: cancel execution',
    'chat: chat agent',
    'decideApprovals: resume agent',
    'deleteConversation: delete conversation',
    'deleteExecution: delete execution',
    'deleteMemoryConversation: delete conversation',
    'deleteWorkingMemory: delete memory',
    'executeTool: tool tool',
    'executeWorkflow: execute workflow',
    'followExecution: stream execution',
    'followObservedExecution: stream execution',
    'generateObject: execute agent',
    'generateText: execute agent',
    'getAgent: read agent',
    'getAgentCard: read agent',
    'getAgentRunCase: read agent',
    'getExecution: read execution',
    'getExecutionCase: read execution',
    'getExecutionCosts: read execution',
    'getExecutionState: read execution',
    'getMemoryConversation: read conversation',
    'getSchedule: read schedule',
    'getWellKnownAgentCard: read agent',
    'getWorkflow: read workflow',
    'getWorkflowStatistics: read workflow',
    'getWorkingMemory: read memory',
    'keepAgentRunCase: read agent',
    'keepExecutionCase: replay execution',
    'listAgentCases: read agent',
    'listAgentHistory: read agent',
    'listConversations: chat agent',
    'listEvalCases: read eval',
    'listEvalRuns: read eval',
    'listMemoryMessages: read conversation',
    'listMessages: read conversation',
    'listWorkflowCases: read workflow',
    'observeExecution: read execution',
    'patchInstructions: read agent',
    'pauseSchedule: suspend schedule',
    'pinExecution: replay execution',
    'putWorkingMemory: update memory',
    'renameConversation: update conversation',
    'replayExecution: replay execution',
    'replayRun: replay agent',
    'respondToRun: resume agent',
    'resumeChat: chat conversation',
    'resumeExecution: resume execution',
    'resumeRun: resume agent',
    'resumeSchedule: resume schedule',
    'resumeWaitingRun: resume agent',
    'runAgUi: chat agent',
    'runEval: execute eval',
    'runWorkflow: execute workflow',
    'stopChat: chat conversation',
    'streamObject: execute agent',
    'streamText: execute agent',
    'streamWorkflow: execute workflow',
    'suspendExecution: suspend execution',
    'triggerSchedule: execute schedule',
    'tryAgent: execute agent',
    'unpinExecution: replay execution',
    'updateMemoryConversation: update conversation',
  ])
})

describe('authorize', () => {
  const asked: AuthorizeRequest[] = []
  let answer: (request: AuthorizeRequest) => unknown = () => true
  let server: GuardedServer
  beforeAll(() => {
    const authorize = (request: AuthorizeRequest) => {
      asked.push(request)
      return answer(request) as boolean
    }
    server = new GuardedServer({ ...parts, authNext: { ...everyRoute, authorize } })
  })
  afterAll(() => server.close())

  it('decides alone: true opens the executions of others, anything else closes one’s own', async () => {
    answer = async () => true
    expect(await closedTo(server, bob, { workflow: 'closed' })).toEqual([])
    const refusing = ({ action }: AuthorizeRequest) => action === 'execute'
    answer = refusing
    expect((await closedTo(server, ada)).toSorted()).toEqual([...ALL].toSorted())
    answer = (request) => (refusing(request) ? true : 'yes')
    expect((await closedTo(server, ada)).toSorted()).toEqual([...ALL].toSorted())
    answer = (request) => (refusing(request) ? true : undefined)
    expect((await closedTo(server, ada)).toSorted()).toEqual([...ALL].toSorted())
    answer = () => false
    expect(await closedTo(server, DEV, { owner: DEV })).toEqual([])
  })

  it('is asked with the user, the action and the resource', async () => {
    answer = () => true
    const executionId = await start(server, 'open', ada)
    asked.length = 0
    await server.status(`/workflows/open/executions/${executionId}`, bob)
    expect(asked).toEqual([
      {
        user: { id: 'bob' },
        action: 'read',
        resource: { kind: 'execution', id: executionId, ownerId: 'ada' },
      },
      // for the link that resumes it
      {
        user: { id: 'bob' },
        action: 'resume',
        resource: { kind: 'execution', id: executionId, ownerId: 'ada' },
      },
    ])
  })

  const requests = {
    'POST /workflows/open/execute': { json: { input: {} }, status: 403 },
    'POST /workflows/open/stream': { json: { input: {} }, status: 403 },
    'GET /workflows/open': { status: 403 },
    'POST /agents/clerk/text': { json: { input: 'Hi' }, status: 403 },
    'POST /agents/clerk/chat': {
      json: { id: 'c1', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
      status: 403,
    },
    'GET /agents/clerk/history': { status: 403 },
    'POST /agents/clerk/a2a': {
      json: { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } },
      status: 403,
    },
    'POST /tools/echo/execute': { json: { input: { text: 'x' } }, status: 403 },
  } as const

  it.each(Object.entries(requests))(
    'false is %s → 403 for workflows, agents and tools',
    async (route, { status, ...sent }) => {
      answer = () => false
      const [method = '', path = ''] = route.split(' ')
      const response = await server.request(path, { method, headers: ada, ...sent })
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({
        success: false,
        error: expect.stringMatching(/^You are not allowed to use the /) as string,
      })
    },
  )

  it.each([
    ['/agents/clerk/text', { input: 'Hi', options: { conversationId: 'c1' } }],
    [
      '/agents/clerk/chat',
      { id: 'c1', conversationId: 'other', messages: [{ role: 'user', content: 'Hi' }] },
    ],
    ['/workflows/open/execute', { input: {}, options: { conversationId: 'c1' } }],
    ['/tools/echo/execute', { input: { text: 'x' }, conversationId: 'c1' }],
  ])('false for the conversation that a body names is a 404: %s', async (path, json) => {
    answer = ({ resource: { kind, id } }) => kind !== 'conversation' || id !== 'c1'
    const response = await server.request(path, { method: 'POST', headers: ada, json })
    expect(await response.json()).toEqual({ success: false, error: 'Conversation not found: c1' })
    expect(response.status).toBe(404)
  })

  it('an error that it throws is a 500 that discloses nothing', async () => {
    answer = () => {
      throw new Error('hunter2')
    }
    const response = await server.request('/workflows/open', { headers: ada })
    expect([response.status, await response.text()]).toEqual([
      500,
      '{"success":false,"error":"Internal server error"}',
    ])
  })

  it('leaves out the executions of a list that a user may not read', async () => {
    answer = () => true
    const own = await start(server, 'open', bob)
    const other = await start(server, 'open', ada)
    const hidden = await start(server, 'open', bob)
    answer = ({ resource }) => resource.id !== hidden
    const response = await server.request('/workflows/executions?limit=200', { headers: bob })
    const { data } = (await response.json()) as { data: { id: string }[] }
    const ids = data.map(({ id }) => id)
    expect(ids).toContain(own)
    expect(ids).not.toContain(other)
    expect(ids).not.toContain(hidden)
  })
})

describe('a public route', () => {
  const publicRoutes = ['/workflows/*', '/agents/*']
  const server = new GuardedServer({ ...parts, authNext: { provider: provider(), publicRoutes } })
  afterAll(() => server.close())

  it('keeps the record of a user from callers without a token, and has it for its owner', async () => {
    const id = await start(server, 'open', ada)
    const path = `/workflows/open/executions/${id}`
    expect(await server.status(path)).toBe(404)
    expect(await server.status(path, bob)).toBe(404)
    expect(await server.status(path, ada)).toBe(200)
    expect(await server.status(`/workflows/open/executions/${await start(server, 'open', {})}`)).toBe(200)
  })

  it('does not open the conversation of a user to callers who claim the id of that user', async () => {
    const options = { conversationId: 'talk' }
    const send = (headers: Headers, more: object, path = '/agents/clerk/text') =>
      server.request(path, {
        method: 'POST',
        headers,
        json: { input: 'I am Ada', options: { ...options, ...more } },
      })
    expect((await send(ada, {})).status).toBe(200)
    expect((await send({}, { userId: 'ada' })).status).toBe(404)
    expect((await send({}, { userId: 'eve' })).status).toBe(200)
    expect((await send({}, {})).status).toBe(200)
    expect((await send(ada, {})).status).toBe(200)
    const run = { input: {}, options: { ...options, userId: 'ada' } }
    const execute = await server.request('/workflows/open/execute', { method: 'POST', json: run })
    expect(execute.status).toBe(404)
  })
})

it('a public route waits for a remote provider where the answer depends on the user', async () => {
  const remote = { type: 'remote', verifyToken: (id: string) => setTimeout(20, { id }) }
  const publicRoutes = ['GET /workflows/:id/executions/:executionId']
  const server = new GuardedServer({ ...parts, authNext: { provider: remote, publicRoutes } })
  const path = `/workflows/open/executions/${await start(server, 'open', bearer('ada'))}`
  expect(await server.status(path, bearer('ada'))).toBe(200)
  expect(await server.status(path, bearer('bob'))).toBe(404)
  expect(await server.status(path)).toBe(404)
  await server.close()
})

describe('operators on public routes, under strict', () => {
  const publicRoutes = ['/observability/*', 'GET /workflows/:id/executions/:executionId']
  const authNext = { provider: provider(), ownership: 'strict', publicRoutes } as const
  const server = new GuardedServer({ ...parts, authNext })
  afterAll(() => server.close())
  const listed = async (headers: Headers) => {
    const response = await server.request('/observability/executions?limit=10', { headers })
    return ((await response.json()) as { data: object[] }).data.length
  }

  it('are not affected by ownership, with the console key or the development bypass', async () => {
    const id = await start(server, 'open', ada)
    expect([await listed(keyHeader()), await listed(DEV)]).toEqual([1, 1])
    expect([await listed({}), await listed(bob), await listed(keyHeader('wrong'))]).toEqual([0, 0, 0])
    const path = `/workflows/open/executions/${id}`
    expect(await server.status(path, DEV)).toBe(200)
    // a user route: the key is not valid there
    expect(await server.status(path, keyHeader())).toBe(404)
  })
})

it.each([
  ['the default', {}],
  ['strict', { ownership: 'strict' }],
] as const)(
  'under %s, lists of records that users can read have their own and those that are anyone’s',
  async (_, rule) => {
    const server = new GuardedServer({ ...parts, authNext: { ...everyRoute, ...rule } })
    const own = await start(server, 'open', ada)
    const shared = await start(server, 'open', DEV)
    await start(server, 'open', bob)
    for (const path of ['/workflows/executions', '/observability/executions']) {
      const response = await server.request(`${path}?limit=10`, { headers: ada })
      const { data } = (await response.json()) as { data: { id: string }[] }
      expect(data.map(({ id }) => id)).toEqual([shared, own])
      expect(response.headers.get('x-total-count')).toBe('2')
    }
    for (const headers of [ada, bob])
      await server.request('/agents/clerk/text', { method: 'POST', headers, json: { input: 'Hi' } })
    const found = async () => {
      const response = await server.request('/observability/search?q=last:1h&limit=50', { headers: ada })
      const { data } = (await response.json()) as { data: { kind: string; id: string; userId: string }[] }
      return data
    }
    const executions = async () =>
      (await found()).filter(({ kind }) => kind === 'execution').map(({ id }) => id)
    await expect.poll(executions, { timeout: 10_000 }).toEqual([shared, own])
    await expect.poll(async () => (await found()).find(({ kind }) => kind === 'run')?.userId).toBe('ada')
    expect((await found()).filter(({ kind, userId }) => kind === 'run' && userId !== 'ada')).toEqual([])
    const history = await server.request('/agents/clerk/history?userId=bob', { headers: ada })
    expect(
      ((await history.json()) as { data: { userId: string }[] }).data.map(({ userId }) => userId),
    ).toEqual(['ada'])
    await server.close()
  },
)

it('the console key reads all executions under every rule', async () => {
  for (const ownership of [{}, { ownership: 'strict' }, { authorize: () => false }] as const) {
    const server = new GuardedServer({ ...parts, authNext: { provider: provider(), ...ownership } })
    const id = await start(server, 'open', DEV)
    for (const path of [
      `/observability/executions/${id}`,
      `/workflows/open/executions/${id}/state`,
      '/workflows',
    ])
      expect(await server.status(path, keyHeader())).toBe(200)
    await server.close()
  }
})
