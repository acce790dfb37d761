import { afterAll, describe, expect, it, vi } from 'vitest'
import type { ExecutionState } from '../../src/contract/endpoints/execution.ts'
import { turns } from '../support/turns.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
afterAll(() => server.close())

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const at = (workflow: string, id: string, action = '') => `/workflows/${workflow}/executions/${id}${action}`

describe('suspend', () => {
  it.each([
    [undefined, 'Suspended by request'],
    [{}, 'Suspended by request'],
    [{ reason: 'lunch' }, 'lunch'],
  ])('suspends a running execution: %j', async (body, reason) => {
    const executionId = await server.startHeldExecution()
    const waiting = server.request(at('hold', executionId, '/suspend'), {
      method: 'POST',
      ...(body && { json: body }),
    })
    await turns()
    server.gate.open(executionId)
    expect(await dataOf(waiting)).toEqual({
      executionId,
      status: 'suspended',
      suspension: { suspendedAt: expect.stringMatching(ISO) as string, reason },
    })
    const state = await dataOf<ExecutionState>(server.request(at('hold', executionId, '/state')))
    expect(state.suspension).toMatchObject({ stepId: 'after', stepIndex: 1, reason })
    const resumed = await dataOf(server.post(at('hold', executionId, '/resume'), { resumeData: 'ignored' }))
    expect(resumed).toMatchObject({ status: 'completed', result: { held: executionId, resumeData: null } })
  })

  it('returns 202 when the step takes long', async () => {
    const executionId = await server.startHeldExecution()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const waiting = server.post(at('hold', executionId, '/suspend'), { reason: 'slow' })
      await vi.advanceTimersByTimeAsync(29_000)
      await vi.advanceTimersByTimeAsync(1_001)
      expect(await dataOf(waiting, 202)).toEqual({
        executionId,
        status: 'running',
        suspension: { requestedAt: expect.stringMatching(ISO) as string, reason: 'slow' },
      })
    } finally {
      vi.useRealTimers()
    }
    server.gate.open(executionId)
    await expect.poll(async () => (await server.record('hold', executionId)).status).toBe('suspended')
  })

  it('is refused unless the execution is running', async () => {
    const { executionId: done } = await server.execute('echo')
    expect(await refusalOf(server.post(at('echo', done, '/suspend')), 400)).toContain('completed')
    const { executionId: suspended } = await server.execute('ask')
    expect(await refusalOf(server.post(at('ask', suspended, '/suspend')), 400)).toContain('suspended')
    await refusalOf(server.post(at('echo', 'unknown', '/suspend')), 404)
  })

  it('is refused when the execution ends first', async () => {
    const executionId = await server.startExecution('ask')
    await expect.poll(async () => (await server.record('ask', executionId)).status).toBe('suspended')
    const resumed = server.post(at('ask', executionId, '/resume'), { resumeData: 'x' })
    const replies = await Promise.all([resumed, server.post(at('ask', executionId, '/suspend'))])
    expect(replies[1].status).toBe(400)
  })

  it.each([[{ reason: 1 }], [{ reason: 'x'.repeat(5000) }], [{ reason: null }]])(
    'refuses the reason in %.40j',
    async (body) => {
      const executionId = await server.startHeldExecution()
      expect(await refusalOf(server.post(at('hold', executionId, '/suspend'), body), 400)).toContain(
        'reason: ',
      )
      expect(await refusalOf(server.post(at('hold', executionId, '/cancel'), body), 400)).toContain(
        'reason: ',
      )
      expect((await server.record('hold', executionId)).status).toBe('running')
    },
  )
})

describe('cancel', () => {
  it.each([
    [undefined, 'Cancelled by request'],
    [{ reason: 'too late' }, 'too late'],
  ])('ends a running execution immediately: %j', async (body, reason) => {
    const executionId = await server.startHeldExecution()
    const cancelled = server.request(at('hold', executionId, '/cancel'), {
      method: 'POST',
      ...(body && { json: body }),
    })
    expect(await dataOf(cancelled)).toEqual({
      executionId,
      status: 'cancelled',
      cancelledAt: expect.stringMatching(ISO) as string,
      reason,
    })
    server.gate.open(executionId)
    expect((await server.record('hold', executionId)).status).toBe('cancelled')
  })

  it("ends a suspended execution, which can't be resumed any more", async () => {
    const { executionId } = await server.execute('ask')
    await dataOf(server.post(at('ask', executionId, '/cancel')))
    await refusalOf(server.post(at('ask', executionId, '/resume'), { resumeData: 1 }), 404)
    expect((await server.record('ask', executionId)).suspension).toBeUndefined()
  })

  it('ends the wait for the result', async () => {
    const waiting = server.post('/workflows/hold/execute', {
      input: {},
      options: { executionId: 'waited-for' },
    })
    await server.gate.arrival('waited-for')
    await dataOf(server.post(at('hold', 'waited-for', '/cancel')))
    expect(await dataOf(waiting)).toEqual({
      executionId: 'waited-for',
      startAt: expect.stringMatching(ISO) as string,
      endAt: expect.stringMatching(ISO) as string,
      status: 'cancelled',
      result: null,
    })
  })

  it('is refused when the execution has ended', async () => {
    const { executionId } = await server.execute('echo')
    expect(await refusalOf(server.post(at('echo', executionId, '/cancel')), 400)).toContain('completed')
    const cancelled = await server.startHeldExecution()
    await dataOf(server.post(at('hold', cancelled, '/cancel')))
    expect(await refusalOf(server.post(at('hold', cancelled, '/cancel')), 400)).toContain('cancelled')
    await refusalOf(server.post(at('hold', 'unknown', '/cancel')), 404)
  })
})
