import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionResult } from '../../src/contract/event.ts'
import type { ExecutionDetail, ExecutionState } from '../../src/contract/endpoints/execution.ts'
import type { WorkflowDetail, WorkflowSummary } from '../../src/contract/endpoints/workflow.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

const LARGE = { orderId: 'a', amount: 500 }
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const at = (workflow: string, id: string, action = '') => `/workflows/${workflow}/executions/${id}${action}`

describe('execute', () => {
  it('returns the result', async () => {
    expect(await server.execute('order', { orderId: 'a', amount: 1 })).toEqual({
      executionId: expect.stringMatching(UUID_V7) as string,
      startAt: expect.stringMatching(ISO) as string,
      endAt: expect.stringMatching(ISO) as string,
      status: 'completed',
      result: { orderId: 'a', currency: 'EUR', approved: false },
    })
  })

  it('returns the suspension when a step suspends', async () => {
    const answer = await server.execute('order', LARGE)
    expect(answer).toEqual({
      executionId: expect.stringMatching(UUID_V7) as string,
      startAt: expect.stringMatching(ISO) as string,
      endAt: null,
      status: 'suspended',
      result: null,
      suspension: {
        suspendedAt: expect.stringMatching(ISO) as string,
        reason: 'over limit',
        suspendedStepIndex: 1,
        stepId: 'approve',
        data: { amount: 500 },
      },
    })
    const state = await dataOf<ExecutionState>(server.request(at('order', answer.executionId, '/state')))
    expect(state).toEqual({
      executionId: answer.executionId,
      workflowId: 'order',
      status: 'suspended',
      startAt: answer.startAt,
      suspension: {
        suspendedAt: answer.suspension?.suspendedAt,
        reason: 'over limit',
        stepIndex: 1,
        stepId: 'approve',
        data: { amount: 500 },
      },
      input: { ...LARGE, currency: 'EUR' },
      context: {},
    })
  })

  it('has the alias /run', async () => {
    const answer = await dataOf(server.post('/workflows/echo/run', { input: { a: 1 } }))
    expect(answer).toMatchObject({ status: 'completed', result: { data: { a: 1 } } })
  })

  it.each(['respond-async', 'wait=10, respond-async', 'Respond-Async; x=1'])(
    'returns 202 with the execution id for Prefer: %s',
    async (prefer) => {
      const response = await server.post('/workflows/hold/execute', { input: {} }, { prefer })
      expect(response.headers.get('preference-applied')).toBe('respond-async')
      const accepted = await dataOf<ExecutionResult>(response, 202)
      expect(accepted).toEqual({
        executionId: expect.stringMatching(UUID_V7) as string,
        status: 'running',
        startAt: expect.stringMatching(ISO) as string,
      })
      const { executionId } = accepted
      expect((await server.record('hold', executionId)).status).toBe('running')
      server.gate.open(executionId)
      await expect.poll(async () => (await server.record('hold', executionId)).status).toBe('completed')
    },
  )

  it('waits for the result with any other preference', async () => {
    const response = await server.post(
      '/workflows/echo/execute',
      { input: {} },
      { prefer: 'return=minimal, no-respond-async' },
    )
    expect(response.status).toBe(200)
  })

  it('refuses an unknown workflow, with any input', async () => {
    expect(await refusalOf(server.post('/workflows/nobody/execute', { input: {} }), 404)).toBe(
      'Workflow not found: nobody',
    )
  })

  it('refuses an execution id in use, while it runs and when it has ended', async () => {
    const options = { executionId: 'mine' }
    await server.execute('echo', {}, options)
    expect(await refusalOf(server.post('/workflows/echo/execute', { input: {}, options }), 409)).toBe(
      'Execution id already used: mine',
    )
    await refusalOf(server.post('/workflows/order/run', { input: LARGE, options }), 409)
    await refusalOf(server.post('/workflows/echo/stream', { input: {}, options }), 409)
    await refusalOf(
      server.post('/workflows/echo/execute', { input: {}, options }, { prefer: 'respond-async' }),
      409,
    )
    const executionId = await server.startHeldExecution()
    await refusalOf(server.post('/workflows/hold/execute', { input: {}, options: { executionId } }), 409)
  })

  it('starts one of two concurrent executions with the same id', async () => {
    const body = (n: number) => ({ input: { n }, options: { executionId: 'twice' } })
    const replies = await Promise.all([1, 2].map((n) => server.post('/workflows/echo/execute', body(n))))
    expect(replies.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
    const record = await server.record('echo', 'twice')
    expect(record.events).toHaveLength(5)
  })
})

describe('a failed execution', () => {
  it('returns the execution id, and in development why it failed', async () => {
    const response = await server.post('/workflows/broken/execute', { input: {} })
    const id = response.headers.get('x-execution-id') ?? ''
    expect(id).toMatch(UUID_V7)
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        success: false,
        error: 'Workflow execution failed: the password is hunter2',
        executionId: id,
        stepId: 'break',
        consoleUrl: `http://localhost:3141/console/executions/${id}`,
      },
    ])
    const { status, error, steps, endedAt } = await server.record('broken', id)
    expect({ status, endedAt }).toEqual({ status: 'error', endedAt: expect.stringMatching(ISO) as string })
    expect(error).toMatchObject({
      message: 'the password is hunter2',
      name: 'Error',
      stepId: 'break',
      cause: { name: 'TypeError', message: 'deeper' },
    })
    expect(error?.stack).toMatch(/at .*test\/support\/server\/sample-workflows\.ts:\d+/)
    expect(error?.stack).not.toContain(process.cwd())
    expect(steps.map(({ stepId, status: step }) => [stepId, step])).toEqual([
      ['fine', 'completed'],
      ['break', 'error'],
    ])
  })

  it('has no reason in the response in production, and no stack', async () => {
    const production = new TestServer({}, { production: true })
    const response = await production.post('/workflows/broken/execute', { input: {} })
    expect(await response.clone().json()).toEqual({ success: false, error: 'Workflow execution failed' })
    const text = await (
      await production.request(at('broken', response.headers.get('x-execution-id') ?? ''))
    ).text()
    expect(text).toContain('the password is hunter2')
    expect(text).not.toMatch(/"stack"|sample-workflows/)
    await production.close()
  })
})

describe('an execution', () => {
  it.each(['', '/state', '/stream'])('is not found under another workflow: GET %s', async (action) => {
    const { executionId } = await server.execute('echo')
    expect(await refusalOf(server.request(at('order', executionId, action)), 404)).toBe(
      `Execution not found: ${executionId}`,
    )
    expect(await refusalOf(server.request(at('nobody', executionId, action)), 404)).toBe(
      'Workflow not found: nobody',
    )
  })

  it.each(['suspend', 'resume', 'cancel', 'replay'])(
    'is not changed under another workflow: %s',
    async (action) => {
      const executionId = await server.startHeldExecution()
      await refusalOf(server.post(at('order', executionId, `/${action}`), { stepId: 'wait' }), 404)
      expect((await server.record('hold', executionId)).status).toBe('running')
    },
  )

  it('has all steps and events, also for the console', async () => {
    const { executionId } = await server.execute('everything')
    const record = await server.record('everything', executionId)
    expect(record.steps.map(({ path, status, attempts }) => `${path} ${status} ${attempts}`)).toEqual([
      'flaky completed 2',
      'both completed 1',
      'both/left completed 1',
      'both/right completed 1',
      'first completed 1',
      'first/fast completed 1',
      'never skipped 1',
      'tap error 1',
      'ship completed 1',
    ])
    expect(record.events.map(({ id }) => Number(id))).toEqual(record.events.map((_, index) => index + 1))
    expect(await dataOf<ExecutionDetail>(server.request(`/observability/executions/${executionId}`))).toEqual(
      record,
    )
    const child = await server.record('shipping', record.steps.at(-1)?.childExecutionId ?? '')
    expect(child).toMatchObject({ parentExecutionId: executionId, status: 'completed', input: { to: 'Ada' } })
  })
})

describe('the list of workflows', () => {
  it('has the status of each workflow', async () => {
    const own = new TestServer()
    const statusOf = async (id: string) =>
      (await dataOf<WorkflowSummary[]>(own.request('/workflows'))).find((workflow) => workflow.id === id)
        ?.status
    expect(await statusOf('hold')).toBe('idle')
    const executionId = await own.startHeldExecution()
    expect([await statusOf('hold'), await statusOf('echo')]).toEqual(['running', 'idle'])
    expect((await dataOf<WorkflowDetail>(own.request('/workflows/hold'))).status).toBe('running')
    own.gate.open(executionId)
    await expect.poll(() => statusOf('hold')).toBe('idle')
    await own.close()
  })

  it('has every workflow with its steps, child workflows included', async () => {
    const list = await dataOf<WorkflowSummary[]>(server.request('/workflows'))
    expect(list.map(({ id }) => id)).toContain('shipping')
    expect(list.find(({ id }) => id === 'order')).toEqual({
      id: 'order',
      name: 'Order',
      served: true,
      purpose: 'Ship an order',
      stepsCount: 3,
      status: expect.any(String) as string,
    })
    const detail = await dataOf<WorkflowDetail>(server.request('/workflows/order'))
    expect(detail.inputSchema).toMatchObject({ type: 'object', required: ['orderId', 'amount'] })
    expect(detail.inputSchema).toHaveProperty('properties.currency.default', 'EUR')
    expect([detail.suspendSchema, detail.resumeSchema]).toEqual([null, null])
    expect(detail.steps.map(({ id, type }) => [id, type])).toEqual([
      ['charge', 'andThen'],
      ['big', 'andWhen'],
      ['audit', 'andTap'],
    ])
    expect(detail.steps[1]?.steps?.[0]).toMatchObject({ id: 'approve', resumeSchema: { required: ['ok'] } })
  })
})
