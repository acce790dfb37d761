import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

const LARGE = { orderId: 'a', amount: 500 }
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const at = (workflow: string, id: string, action = '') => `/workflows/${workflow}/executions/${id}${action}`

describe('resume', () => {
  const suspended = async () => (await server.execute('order', LARGE)).executionId
  const resume = (id: string, body?: object) =>
    server.request(at('order', id, '/resume'), { method: 'POST', ...(body && { json: body }) })

  it('continues with the data', async () => {
    const executionId = await suspended()
    const answer = await dataOf(
      resume(executionId, { resumeData: { ok: true }, options: { stepId: 'approve' } }),
    )
    expect(answer).toMatchObject({
      executionId,
      status: 'completed',
      endAt: expect.stringMatching(ISO) as string,
      result: { orderId: 'a', currency: 'EUR', approved: true },
    })
  })

  it.each([
    [undefined, 'resumeData: Required'],
    [{}, 'resumeData: Required'],
    [{ resumeData: {} }, 'resumeData.ok: Required'],
    [{ resumeData: { ok: 'yes' } }, 'resumeData.ok: '],
    [{ resumeData: null }, 'resumeData: '],
    [
      { resumeData: { ok: true }, options: { stepId: 'charge' } },
      'the suspended step is "approve", not "charge"',
    ],
    [{ resumeData: { ok: true }, options: { stepId: '../x' } }, 'options.stepId: Must be'],
  ])('refuses %j, and the execution stays suspended', async (body, message) => {
    const executionId = await suspended()
    expect(await refusalOf(resume(executionId, body), 400)).toContain(message)
    expect((await server.record('order', executionId)).status).toBe('suspended')
  })

  it('needs no body when the step requested no data', async () => {
    const { executionId } = await server.execute('ask')
    const answer = await dataOf<ExecutionResult>(
      server.request(at('ask', executionId, '/resume'), { method: 'POST' }),
    )
    expect(answer.status).toBe('suspended')
    expect(answer.suspension).toMatchObject({ stepId: 'question', reason: 'a question' })
  })

  it('returns 404 unless the execution is suspended', async () => {
    const { executionId } = await server.execute('order', { orderId: 'a', amount: 1 })
    expect(await refusalOf(resume(executionId, { resumeData: { ok: true } }), 404)).toContain('not suspended')
    expect(await refusalOf(resume('unknown', { resumeData: { ok: true } }), 404)).toContain('unknown')
    const running = await server.startHeldExecution()
    await refusalOf(server.post(at('hold', running, '/resume')), 404)
  })

  it('succeeds for one of fifty concurrent calls', async () => {
    const executionId = await suspended()
    const body = { resumeData: { ok: true } }
    const replies = await Promise.all(Array.from({ length: 50 }, () => resume(executionId, body)))
    const lost = replies.filter(({ status }) => status !== 200)
    expect(lost).toHaveLength(49)
    for (const reply of lost) expect(await refusalOf(reply, 404)).toContain('not suspended')
    const { events } = await server.record('order', executionId)
    expect(events.filter(({ type }) => type === 'workflow-resumed')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'workflow-complete')).toHaveLength(1)
  })

  it('of an execution that waits for its child resumes the child', async () => {
    const { executionId, suspension } = await server.execute('parent')
    expect(suspension).toMatchObject({ stepId: 'child', reason: 'a question' })
    const answer = await dataOf(
      server.post(at('parent', executionId, '/resume'), { resumeData: 'an answer' }),
    )
    expect(answer).toMatchObject({ executionId, status: 'completed', result: { answer: 'an answer' } })
  })
})

describe('replay', () => {
  it('starts a new execution from a step', async () => {
    const original = await server.execute('order', { orderId: 'a', amount: 1 })
    const answer = await dataOf<ExecutionResult>(
      server.post(at('order', original.executionId, '/replay'), {
        stepId: 'audit',
        input: { orderId: 'b', currency: 'USD', approved: true },
      }),
    )
    expect(answer).toMatchObject({
      status: 'completed',
      result: { orderId: 'b', currency: 'USD', approved: true },
    })
    expect(answer.executionId).not.toBe(original.executionId)
    const record = await server.record('order', answer.executionId)
    expect(record.forkedFrom).toEqual({ executionId: original.executionId, stepId: 'audit' })
    expect(await server.record('order', original.executionId)).toMatchObject({
      output: original.result,
      status: 'completed',
    })
  })

  it('returns 202 with the id of the new execution for Prefer: respond-async', async () => {
    const original = await server.execute('order', { orderId: 'a', amount: 1 })
    const url = at('order', original.executionId, '/replay')
    const response = await server.post(url, { stepId: 'audit' }, { prefer: 'respond-async' })
    expect(response.headers.get('preference-applied')).toBe('respond-async')
    const { executionId, status } = await dataOf<ExecutionResult>(response, 202)
    expect(status).toBe('running')
    expect(executionId).not.toBe(original.executionId)
    await expect.poll(async () => (await server.record('order', executionId)).status).toBe('completed')
  })

  it.each([
    [{}, 'stepId: Required'],
    [{ stepId: 'nowhere' }, 'no step "nowhere"'],
    [{ stepId: 'approve' }, 'did not reach'],
    [{ stepId: 3 }, 'stepId: '],
  ])('refuses %j', async (body, message) => {
    const { executionId } = await server.execute('order', { orderId: 'a', amount: 1 })
    expect(await refusalOf(server.post(at('order', executionId, '/replay'), body), 400)).toContain(message)
  })

  it('that fails responds like execute, with the id of the new execution', async () => {
    const failed = await server.post('/workflows/broken/execute', { input: {} })
    const first = failed.headers.get('x-execution-id') ?? ''
    const response = await server.post(at('broken', first, '/replay'), { stepId: 'break' })
    const second = response.headers.get('x-execution-id') ?? ''
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: 'Workflow execution failed: the password is hunter2', executionId: second, stepId: 'break' },
    ])
    expect(second).not.toBe(first)
    expect((await server.record('broken', second)).forkedFrom).toEqual({
      executionId: first,
      stepId: 'break',
    })
  })
})
