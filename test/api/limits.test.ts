import { createWorkflow } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionState } from '../../src/contract/endpoints/execution.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { Gate } from '../support/server/sample-workflows.ts'
import { TestServer } from '../support/server/test-server.ts'

const gate = new Gate()
const single = createWorkflow({ id: 'single', concurrency: 1 }).andThen({
  id: 'hold',
  execute: async ({ executionId }) => {
    await gate.pass(executionId)
    return executionId
  },
})
const keyed = createWorkflow({
  id: 'keyed',
  concurrency: { limit: 1, key: ({ input }) => (input as { customer: string }).customer },
}).andThen({ id: 'a', execute: () => 1 })
const server = new TestServer({ workflows: [single, keyed], limits: { queued: 2 } })
afterAll(() => server.close())

const start = (executionId: string, headers = {}) =>
  server.post('/workflows/single/execute', { input: {}, options: { executionId } }, headers)
const ASYNC = { prefer: 'respond-async' }
const state = (id: string) =>
  dataOf<ExecutionState>(server.request(`/workflows/single/executions/${id}/state`))

describe('an execution above the limit of its workflow', () => {
  it('waits with its caller, unless this prefers not to, and is refused when too many wait', async () => {
    await dataOf(start('first', ASYNC), 202)
    const waiting = start('second')
    await expect.poll(async () => (await state('second').catch(() => undefined))?.waiting?.position).toBe(1)
    await dataOf(start('third', ASYNC), 202)
    expect(await state('third')).toMatchObject({
      status: 'running',
      waiting: { reason: 'concurrency', position: 2, since: expect.any(String) as string },
    })
    const refused = await start('fourth')
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(await refusalOf(refused, 429)).toContain('as many executions wait as limits.queued allows')
    const stream = server.post('/workflows/single/stream', { input: {} })
    await refusalOf(stream, 429)
    gate.open('first')
    gate.open('second')
    expect(await dataOf<ExecutionResult>(waiting)).toMatchObject({ status: 'completed', result: 'second' })
    expect((await server.record('single', 'second')).waiting).toBeUndefined()
    gate.open('third')
    await expect.poll(async () => (await state('third')).status).toBe('completed')
  })

  it('can be cancelled while it waits', async () => {
    await dataOf(start('a', ASYNC), 202)
    const waiting = start('b')
    await expect.poll(async () => (await state('b').catch(() => undefined))?.waiting?.position).toBe(1)
    await dataOf(server.post('/workflows/single/executions/b/cancel'))
    expect(await dataOf<ExecutionResult>(waiting)).toMatchObject({ status: 'cancelled' })
    gate.open('a')
  })
})

describe('a key that is no string', () => {
  it('is an error of the request, which names it', async () => {
    const refused = server.post('/workflows/keyed/execute', { input: {} })
    expect(await refusalOf(refused, 400)).toContain(
      'The limits of workflow "keyed" do not suit the input: concurrency.key returned undefined, not a string',
    )
  })
})

describe('limits that are not valid', () => {
  it.each([
    [{ concurrency: 0 }, 'concurrency must be a positive integer'],
    [{ concurrency: { limit: 1.5 } }, 'concurrency.limit must be a positive integer'],
    [{ concurrency: { limit: 1, key: 'customer' } }, 'concurrency.key must be a function'],
    [{ rateLimit: { limit: 1, per: 'soon' } }, 'rateLimit.per must be a duration'],
    [{ rateLimit: { limit: 1, per: 0 } }, 'rateLimit.per must be a duration'],
    [{ priority: 3 }, 'priority must be a function'],
  ])('%j is an error at load', async (limits, problem) => {
    const workflow = createWorkflow({ id: 'w', ...(limits as object) }).andThen({ id: 'a', execute: () => 1 })
    expect(() => new TestServer({ workflows: [workflow] })).toThrow(problem)
  })
})
