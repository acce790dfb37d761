import { createWorkflow } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ExecutionDetail, ExecutionState } from '../../src/contract/endpoints/execution.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { Gate } from '../support/server/sample-workflows.ts'
import { TestServer } from '../support/server/test-server.ts'

const gate = new Gate()
const hooked: string[] = []
const saga = createWorkflow({ id: 'saga', onEnd: ({ executionId }) => void hooked.push(executionId) })
  .andThen({
    id: 'charge',
    execute: () => 'c1',
    compensate: (_, { idempotencyKey }) => gate.pass(idempotencyKey),
  })
  .andThen({ id: 'ask', execute: ({ suspend }) => suspend('approval') })
const ended: string[] = []
const server = new TestServer({
  workflows: [saga],
  onExecutionEnd: ({ executionId, status }) => void ended.push(`${executionId} ${status}`),
})
afterAll(() => server.close())

const at = (id: string, action = '') => `/workflows/saga/executions/${id}${action}`
const compensating = (id: string) => gate.arrival(`${id}:charge:compensate`)
const begin = async (id: string) => {
  await dataOf(server.post('/workflows/saga/execute', { input: {}, options: { executionId: id } }))
}

describe('an execution with compensations', () => {
  beforeAll(() => begin('done'))

  it('is compensated before its cancel is answered, and then its hooks are called', async () => {
    const cancelled = server.post(at('done', '/cancel'))
    await compensating('done')
    expect(await dataOf<ExecutionState>(server.request(at('done', '/state')))).toMatchObject({
      status: 'running',
      compensating: { reason: 'cancelled' },
    })
    expect(await refusalOf(server.post(at('done', '/suspend')), 400)).toContain('compensating its steps')
    gate.open('done:charge:compensate')
    expect(await dataOf(cancelled)).toMatchObject({ status: 'cancelled', compensation: 'completed' })
    const record = () => dataOf<ExecutionDetail>(server.request(at('done')))
    await expect
      .poll(async () => (await record()).hooks?.map(({ hook, status }) => [hook, status]))
      .toEqual([
        ['onEnd', 'completed'],
        ['onExecutionEnd', 'completed'],
      ])
    expect(hooked).toEqual(['done'])
    expect(ended).toEqual(['done cancelled'])
    expect((await record()).steps.map(({ path, compensates }) => [path, compensates])).toEqual([
      ['charge', undefined],
      ['ask', undefined],
      ['charge:compensate', 'charge'],
    ])
  })

  it('answers a cancel with 202 after 30 seconds, and one with force at once', async () => {
    await begin('slow')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const waiting = server.post(at('slow', '/cancel'))
      await compensating('slow')
      await vi.advanceTimersByTimeAsync(30_001)
      expect(await dataOf(waiting, 202)).toEqual({
        executionId: 'slow',
        status: 'running',
        compensating: { reason: 'cancelled' },
      })
    } finally {
      vi.useRealTimers()
    }
    expect(await dataOf(server.post(at('slow', '/cancel'), { force: true }))).toMatchObject({
      status: 'cancelled',
      compensation: 'failed',
    })
    expect(await refusalOf(server.post(at('slow', '/cancel'), { force: 1 }), 400)).toContain('force')
  })
})
