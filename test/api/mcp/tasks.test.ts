import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import type { ApplicationElicitResult, TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client'
import { andSleep, andWorkflow, createAgent, createMcpServer, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { openTaskSession, sendRpc, TASKS } from '../../support/clients/task-session.ts'
import { listening } from '../../support/server/listening.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { until } from '../../support/until.ts'

const undone: string[] = []
const refund = createWorkflow({
  id: 'refund',
  name: 'Refund',
  inputSchema: z.object({ amount: z.number() }),
})
  .andThen({
    id: 'approve',
    resumeSchema: z.object({ approved: z.boolean(), note: z.string().max(5).optional() }),
    execute: ({ data, resumeData, suspend }) =>
      resumeData ?? suspend('A manager must approve', { amount: data.amount }),
  })
  .andThen({
    id: 'account',
    resumeSchema: z.string().min(3),
    execute: ({ data, resumeData, suspend }) => ({
      ...data,
      account: resumeData ?? suspend('Which account?'),
    }),
  })
const nested = createWorkflow(
  { id: 'nested', name: 'Nested' },
  andWorkflow({ id: 'refund', workflow: refund, input: () => ({ amount: 7 }) }),
)
const failing = createWorkflow({ id: 'failing', name: 'Failing' }).andThen({
  id: 'fail',
  retries: 0,
  execute: () => {
    throw new Error('secret reason')
  },
})
const deep = createWorkflow({ id: 'deep', name: 'Deep' }).andThen({
  id: 'ask',
  resumeSchema: z.object({ home: z.object({ city: z.string() }) }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Where?'),
})
const sleepy = createWorkflow({ id: 'sleepy', name: 'Sleepy' }, andSleep({ id: 'nap', for: '1h' }))
const team = createWorkflow({
  id: 'team',
  name: 'Team',
  run: ({ step }) =>
    Promise.all(
      ['left', 'right'].map((side) =>
        step.suspend(side, { reason: side, resumeSchema: z.object({ name: z.string() }) }),
      ),
    ),
})
const careful = createWorkflow({ id: 'careful', name: 'Careful' })
  .andThen({ id: 'book', execute: () => 'booked', compensate: () => void undone.push('book') })
  .andThen({ id: 'wait', execute: ({ resumeData, suspend }) => resumeData ?? suspend('Sure?') })
const others = createWorkflow({ id: 'others', name: 'Others', resumableBy: 'others' }).andThen({
  id: 'wait',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('A second person'),
})
const closed = createWorkflow({ id: 'closed', name: 'Closed', startedBy: 'operators' }).andThen({
  id: 'x',
  execute: () => 1,
})

const buy = createTool({
  name: 'buy',
  description: 'Buys',
  inputSchema: z.object({ what: z.string(), count: z.number() }),
  needsApproval: true,
  execute: ({ what, count }) => `${count} ${what}`,
})
const ask = createTool({
  name: 'ask',
  description: 'Asks',
  inputSchema: z.object({}),
  execute: async (_, { step }) => {
    const { city } = await step.suspend('city', {
      data: { question: 'Where?' },
      resumeSchema: z.object({ city: z.string().max(5) }),
    })
    await step.suspend('sure', { reason: 'Is that all?' })
    return city
  },
})
const modelThat = (call?: { toolName: string; input: object }) =>
  scriptedModel(
    [
      ({ prompt }) =>
        call && prompt.at(-1)?.role !== 'tool'
          ? { toolCalls: [call] }
          : `Result: ${JSON.stringify(prompt.at(-1)?.content)}`,
    ],
    { repeatLast: true },
  )
const base = { instructions: 'x', resumable: true }
const clerk = createAgent({ ...base, id: 'clerk', name: 'Clerk', model: modelThat() })
const buyer = createAgent({
  ...base,
  id: 'buyer',
  name: 'Buyer',
  tools: [buy],
  model: modelThat({ toolName: 'buy', input: { what: 'pens', count: 2 } }),
})
const asker = createAgent({
  ...base,
  id: 'asker',
  name: 'Asker',
  tools: [ask],
  model: modelThat({ toolName: 'ask', input: {} }),
})
const broken = createAgent({
  ...base,
  id: 'broken',
  name: 'Broken',
  model: scriptedModel([
    () => {
      throw new Error('secret key')
    },
  ]),
})
const shy = createAgent({
  ...base,
  id: 'shy',
  name: 'Shy',
  model: modelThat(),
  guardrails: { input: [() => ({ block: 'not today' })] },
})
const quick = createAgent({ id: 'quick', name: 'Quick', instructions: 'x', model: modelThat() })

const workflows = [refund, nested, failing, deep, sleepy, team, careful, others, closed]
const agents = [clerk, buyer, asker, broken, shy, quick]
const desk = createMcpServer({ id: 'desk', name: 'Desk', workflows, agents })
const other = createMcpServer({ id: 'other', name: 'Other', workflows: [failing], agents: [quick] })
const bare = createMcpServer({ id: 'bare', name: 'Bare', agents: [quick] })
const provider = {
  type: 'test',
  verifyToken: (token: string) => (token === 'nobody' ? { role: 'guest' } : { id: token }),
}
const server = new TestServer({ workflows: [], mcpServers: [desk, other, bare], authNext: { provider } })
const at = listening(server)
const url = () => at('/mcp/desk')

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

type Answer = (form: Form) => ApplicationElicitResult
interface Form {
  readonly message: string
  readonly requestedSchema: { readonly properties: object }
}

async function sessionThat(answer?: Answer, user?: string) {
  const forms: Form[] = []
  const { client, session } = await openTaskSession({
    url: url(),
    ...(user !== undefined && { user }),
    ...(answer && {
      onInputRequest: (async ({ params }: { params: unknown }) => {
        forms.push(params as Form)
        return answer(params as Form)
      }) as never,
    }),
  })
  open.push(client, session)
  return { session, forms }
}

async function run(session: TaskEnabledSession, name: string, input = {}) {
  const execution = await session.callTool(name, input)
  const { outcome } = await execution.settle()
  return { execution, outcome, result: resultFromTaskOutcome(outcome) as Record<string, unknown> }
}

const rpc = (
  method: string,
  params: Record<string, unknown>,
  more: Partial<Parameters<typeof sendRpc>[0]> = {},
) => sendRpc({ url: url(), capabilities: { elicitation: {}, ...TASKS }, ...more }, method, params)
async function start(name: string, input = {}, user = 'grace'): Promise<string> {
  const { result } = await rpc('tools/call', { name, arguments: input }, { user })
  expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null })
  return String(result?.['taskId'])
}
const get = (taskId: string, user = 'grace') => rpc('tasks/get', { taskId }, { user })
async function reaches(taskId: string, status: string, key?: string) {
  return until(async () => {
    const { result } = await get(taskId)
    const requests = (result?.['inputRequests'] ?? {}) as Record<string, { params: Form }>
    return result?.['status'] === status && (key === undefined || Object.keys(requests).join() !== key)
      ? { ...result, requests, key: Object.keys(requests).join() }
      : undefined
  })
}
const update = (taskId: string, inputResponses: unknown, user = 'grace') =>
  rpc('tasks/update', { taskId, inputResponses }, { user })
const accept = (content: object) => ({ action: 'accept', content })

describe('the client of the tasks extension', () => {
  it('gets the result of a workflow whose forms its user fills in', async () => {
    const answers = [{ approved: true }, { value: 'DE89' }]
    const { session, forms } = await sessionThat(() => ({
      action: 'accept',
      content: answers.shift() as Record<string, string>,
    }))
    const { execution, result } = await run(session, 'run_refund', { amount: 5 })
    expect(execution.kind).toBe('task')
    const { structuredContent } = result as { structuredContent: { executionId: string } }
    expect(structuredContent).toMatchObject({
      executionId: execution.handle?.taskId,
      status: 'completed',
      result: { approved: true, account: 'DE89' },
    })
    expect(forms.map(({ message }) => message)).toEqual([
      'Refund: A manager must approve\n\n{\n  "amount": 5\n}',
      'Refund: Which account?',
    ])
    const record = await server.request(`/workflows/refund/executions/${execution.handle?.taskId}`, {
      headers: { authorization: 'Bearer grace' },
    })
    expect(await record.json()).toMatchObject({ data: { resumedOver: 'mcp', ownerId: 'grace' } })
  })

  it('fills in the forms of a workflow within the workflow, each once', async () => {
    const answers = [{ approved: true }, { value: 'DE89' }]
    const { session, forms } = await sessionThat(() => ({
      action: 'accept',
      content: answers.shift() as Record<string, string>,
    }))
    const { result } = await run(session, 'run_nested')
    expect(result).toMatchObject({ structuredContent: { result: { account: 'DE89' } } })
    expect(forms).toHaveLength(2)
  })

  it('gets the answer of an agent that is recorded, and of others at once', async () => {
    const { session } = await sessionThat()
    const { execution, result } = await run(session, 'ask_clerk', { prompt: 'Hello' })
    expect(execution.kind).toBe('task')
    expect(JSON.stringify(result)).toContain('Hello')
    const direct = await run(session, 'ask_quick', { prompt: 'Hello' })
    expect(direct.execution.kind).toBe('immediate')
  })

  it('approves a call of an agent, with other arguments', async () => {
    const { session, forms } = await sessionThat(() => ({
      action: 'accept',
      content: { approved: true, count: 3 },
    }))
    const { result } = await run(session, 'ask_buyer', { prompt: 'Hello' })
    expect(forms[0]?.message).toContain('Approve the call of buy?')
    expect(JSON.stringify(result)).toContain('3 pens')
  })

  it('denies a call when its user declines', async () => {
    const { session } = await sessionThat(() => ({ action: 'decline' }))
    const { result } = await run(session, 'ask_buyer', { prompt: 'Hello' })
    expect(JSON.stringify(result)).not.toContain('2 pens')
    expect(JSON.stringify(result)).toContain('Result')
  })

  it('resumes a tool of an agent that waits in its middle, again and again', async () => {
    const { session, forms } = await sessionThat(({ requestedSchema: { properties } }) => ({
      action: 'accept',
      content: 'city' in properties ? { city: 'Bern' } : { resume: true },
    }))
    const { result } = await run(session, 'ask_asker', { prompt: 'Hello' })
    expect(JSON.stringify(result)).toContain('Bern')
    expect(forms).toHaveLength(2)
  })

  it('cancels a task', async () => {
    const { session } = await sessionThat()
    const execution = await session.callTool('run_sleepy')
    await execution.cancel()
    expect((await execution.settle()).outcome.status).toBe('cancelled')
  })
})

describe('a task', () => {
  it('is declared by servers that have some, to clients on 2026-xx alone', async () => {
    const declared = async (id: string, mode: 'auto' | 'legacy') => {
      const client = await connectClient(at(`/mcp/${id}`), { mode })
      open.push(client)
      return client.getServerCapabilities()?.extensions
    }
    expect(await declared('desk', 'auto')).toEqual({ 'io.modelcontextprotocol/tasks': {} })
    expect(await declared('bare', 'auto')).toBeUndefined()
    expect(await declared('desk', 'legacy')).toBeUndefined()
  })

  it.each([
    ['declares no tasks', { elicitation: {} }],
    ['declares others', { extensions: { other: {} } }],
    ['has broken extensions', { extensions: {} }],
  ])('is no result for a client that %s', async (_, capabilities) => {
    const { result } = await rpc('tools/call', { name: 'run_sleepy', arguments: {} }, { capabilities: {} })
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'suspended' } })
    const taskId = await start('run_sleepy')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refused = await rpc(method, { taskId, inputResponses: {} }, { capabilities })
      const requiredCapabilities = TASKS
      expect(refused).toMatchObject({ status: 400, error: { code: -32021, data: { requiredCapabilities } } })
    }
  })

  it('has no subscription without the declaration, and with it one without tasks', async () => {
    const params = { notifications: { taskIds: ['x'] } }
    const refused = await rpc('subscriptions/listen', params, { capabilities: {} })
    expect(refused).toMatchObject({ status: 400, id: 1, error: { code: -32021 } })
  })

  it('that sleeps is working, and says until when it waits', async () => {
    const task = await reaches(await start('run_sleepy'), 'working')
    expect(task).toMatchObject({ resultType: 'complete', pollIntervalMs: 1000 })
    expect(task).not.toHaveProperty('inputRequests')
  })

  it('that has failed has the result of the failed tool, without its reason', async () => {
    const taskId = await start('run_failing')
    const { result } = (await reaches(taskId, 'completed')) as unknown as { result: { content: unknown[] } }
    const text = `Workflow execution failed (execution ${taskId})`
    expect(result).toEqual({ resultType: 'complete', isError: true, content: [{ type: 'text', text }] })
    const answer = await reaches(await start('ask_broken', { prompt: 'x' }), 'completed')
    expect(answer).toMatchObject({ result: { isError: true } })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('that a guardrail blocked says so', async () => {
    const task = await reaches(await start('ask_shy', { prompt: 'x' }), 'completed')
    const text = 'Blocked by a guardrail: not today'
    expect(task).toMatchObject({ result: { isError: true, content: [{ text }] } })
  })

  it('that can not be started is an error of the tool', async () => {
    const call = (name: string, input: unknown) => rpc('tools/call', { name, arguments: input })
    expect(await call('run_refund', { amount: 'x' })).toMatchObject({ result: { isError: true } })
    expect(await call('run_closed', {})).toMatchObject({ result: { isError: true } })
    expect(await call('ask_clerk', { prompt: ' ' })).toMatchObject({ result: { isError: true } })
    expect(await call('run_none', {})).toMatchObject({ error: { code: -32602 } })
  })

  it('of a user whom no record names is answered at once', async () => {
    const input = { name: 'ask_clerk', arguments: { prompt: 'Hi' } }
    const { result } = await rpc('tools/call', input, { user: 'nobody' })
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] })
  })

  it('of another user, another server or nobody is not found', async () => {
    const ids = [await start('run_refund', { amount: 1 }), await start('ask_buyer', { prompt: 'x' })]
    for (const taskId of ids) {
      const { key } = await reaches(taskId, 'input_required')
      const message = `Task not found: ${taskId}`
      const error = { code: -32602, message }
      expect(await get(taskId, 'mallory')).toMatchObject({ error })
      expect(await update(taskId, { [key]: accept({ approved: true }) }, 'mallory')).toMatchObject({ error })
      expect(await rpc('tasks/cancel', { taskId }, { user: 'mallory' })).toMatchObject({ error })
      expect(await rpc('tasks/get', { taskId }, { url: at('/mcp/other') })).toMatchObject({ error })
      expect(await reaches(taskId, 'input_required')).toMatchObject({ key })
    }
    expect((await get('nothing')).error).toEqual({ code: -32602, message: 'Task not found: nothing' })
  })

  it('of another user is not found under the earlier auth, either', async () => {
    const { type, verifyToken } = provider
    const earlier = new TestServer({
      workflows: [],
      mcpServers: [desk],
      auth: { type, verifyToken },
    })
    open.push(earlier)
    const to = { url: `${(await earlier.listen()).url}/mcp/desk` }
    // executions are read by everyone under it, as the contract has it, and cancelled by their users
    const refused = { run_refund: ['tasks/cancel'], ask_buyer: ['tasks/get', 'tasks/cancel'] }
    for (const [name, methods] of Object.entries(refused)) {
      const call = { name, arguments: name === 'ask_buyer' ? { prompt: 'x' } : { amount: 1 } }
      const { result } = await rpc('tools/call', call, to)
      const params = { taskId: String(result?.['taskId']) }
      for (const method of methods)
        for (const user of ['mallory', 'nobody'])
          expect(await rpc(method, params, { ...to, user })).toMatchObject({ error: { code: -32602 } })
      expect(await rpc('tasks/get', params, to)).toMatchObject({
        result: { status: expect.not.stringMatching('cancelled') as string },
      })
    }
  })

  it('keeps waiting after data that does not fit, and goes on with data that does', async () => {
    const taskId = await start('run_refund', { amount: 5 })
    const { key } = await reaches(taskId, 'input_required')
    const refused = await update(taskId, { [key]: accept({ approved: 'yes' }) })
    expect(refused.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('resumeData') as string,
    })
    expect(await reaches(taskId, 'input_required')).toMatchObject({ key })
    for (const action of ['decline', 'cancel']) {
      expect((await update(taskId, { [key]: { action } })).result).toMatchObject({ resultType: 'complete' })
      expect(await reaches(taskId, 'input_required')).toMatchObject({ key })
    }
    const given = { [key]: accept({ approved: true }) }
    expect((await update(taskId, { other: accept({}), ...given })).error).toBeUndefined()
    await reaches(taskId, 'input_required', key)
    // a response that comes twice is for no later request
    expect((await update(taskId, given)).error).toBeUndefined()
    const second = await reaches(taskId, 'input_required', key)
    await update(taskId, { [second.key]: accept({ value: 'DE89' }) })
    expect(await reaches(taskId, 'completed')).toMatchObject({
      result: { structuredContent: { result: { approved: true, account: 'DE89' } } },
    })
  })

  it('takes the responses to several requests at once', async () => {
    const taskId = await start('run_team')
    const { requests } = await reaches(taskId, 'input_required')
    expect(Object.keys(requests)).toHaveLength(2)
    const named = Object.entries(requests).map(([key, { params }]) => [key, accept({ name: params.message })])
    expect((await update(taskId, Object.fromEntries(named))).error).toBeUndefined()
    expect(await reaches(taskId, 'completed')).toMatchObject({
      result: { structuredContent: { result: [{ name: 'Team: left' }, { name: 'Team: right' }] } },
    })
  })

  it('is resumed with the tool where the data fits no form, or the client shows none', async () => {
    const deepId = await start('run_deep')
    expect(await reaches(deepId, 'input_required')).toMatchObject({
      inputRequests: {},
      statusMessage: expect.stringContaining('resume_deep') as string,
    })
    const resumed = await rpc('tools/call', {
      name: 'resume_deep',
      arguments: { executionId: deepId, resumeData: { home: { city: 'Bern' } } },
    })
    expect(resumed).toMatchObject({ result: { structuredContent: { status: 'completed' } } })
    expect(await reaches(deepId, 'completed')).toBeDefined()
    const taskId = await start('run_refund', { amount: 5 })
    await reaches(taskId, 'input_required')
    const { result } = await rpc('tasks/get', { taskId }, { capabilities: TASKS })
    expect(result).toMatchObject({ status: 'input_required', inputRequests: {} })
  })

  it('that a second person resumes shows its user no form', async () => {
    const taskId = await start('run_others')
    const task = await until(async () => {
      const { result } = await get(taskId)
      return result?.['statusMessage'] === undefined ? undefined : result
    })
    expect(task).toMatchObject({ status: 'working', statusMessage: 'Others: A second person' })
    expect((await update(taskId, {})).error).toMatchObject({ code: -32602 })
  })

  it('is cancelled after its compensations, and cancelling it again changes nothing', async () => {
    const taskId = await start('run_careful')
    const { key } = await reaches(taskId, 'input_required')
    // an empty form may not have been shown
    await update(taskId, { [key]: accept({}) })
    await update(taskId, { [key]: accept({ resume: false }) })
    expect(await reaches(taskId, 'input_required')).toMatchObject({ key })
    const cancel = () => rpc('tasks/cancel', { taskId })
    expect((await cancel()).result).toMatchObject({ resultType: 'complete' })
    const task = await reaches(taskId, 'cancelled')
    expect(task).not.toHaveProperty('result')
    expect(undone).toEqual(['book'])
    expect((await cancel()).result).toMatchObject({ resultType: 'complete' })
    const answer = await start('ask_buyer', { prompt: 'x' })
    await reaches(answer, 'input_required')
    expect((await rpc('tasks/cancel', { taskId: answer })).result).toMatchObject({ resultType: 'complete' })
    expect(await reaches(answer, 'cancelled')).toBeDefined()
  })
})

describe('a hostile request for a task', () => {
  const ids: readonly unknown[] = [
    undefined,
    null,
    1,
    {},
    [],
    '',
    '../x',
    '__proto__',
    'constructor',
    'x'.repeat(10_000),
    'a\u0000b',
    '\u{1F600}',
  ]
  it.each(ids.map((id) => [id]))('with the id %j is an error of the protocol', async (taskId) => {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const headers = { 'mcp-name': typeof taskId === 'string' ? encoded(taskId) : 'x' }
      const { error, status } = await rpc(method, { taskId, inputResponses: {} }, { headers })
      expect(error?.code).toBeLessThan(-32000)
      expect(error?.code).not.toBe(-32603)
      expect(status).toBeLessThan(500)
    }
  })

  const responsesOf: readonly unknown[] = [
    undefined,
    null,
    [],
    'x',
    { key: null },
    { key: 'x' },
    { key: [] },
    { key: { action: 'other' } },
    { key: { action: 'accept', content: { a: { b: 1 } } } },
    { key: { method: 'x', action: 'accept' } },
    { key: {} },
  ]
  it.each(responsesOf.map((one) => [one]))(
    'with the responses %j is an error of the protocol',
    async (responses) => {
      const taskId = await start('run_refund', { amount: 5 })
      const { key } = await reaches(taskId, 'input_required')
      const text = JSON.stringify(responses)
      const inputResponses =
        text === undefined ? undefined : (JSON.parse(text.replace('"key"', JSON.stringify(key))) as unknown)
      expect(await update(taskId, inputResponses)).toMatchObject({ error: { code: -32602 } })
      expect(await reaches(taskId, 'input_required')).toMatchObject({ key })
    },
  )

  it('without its id in the header is refused', async () => {
    const taskId = await start('run_sleepy')
    const { status, error } = await rpc('tasks/get', { taskId }, { headers: { 'mcp-name': 'other' } })
    expect(status).toBe(400)
    expect(error?.code).toBe(-32020)
  })

  it('on a server without tasks is an unknown method', async () => {
    const { error } = await rpc('tasks/get', { taskId: 'x' }, { url: at('/mcp/bare') })
    expect(error?.code).toBe(-32601)
  })
})

/** A header value in the form of the protocol for what is no visible ASCII. */
function encoded(value: string): string {
  return `=?base64?${Buffer.from(value).toString('base64')}?=`
}
