import { createWorkflow } from 'agentserver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Failure } from '../../src/contract/endpoints/failures.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

let broken = true
const payout = createWorkflow({
  id: 'payout',
  name: 'Payout',
  inputSchema: z.object({ account: z.string() }),
  run: ({ input: { account }, step }) =>
    step.run('pay', () => {
      if (broken) throw new TypeError(`Account "${account}" of order ${account.length} is frozen`)
      return 'paid'
    }),
})
const parent = createWorkflow({
  id: 'parent',
  run: ({ step }) => step.workflow('child', payout, { account: 'ada' }),
})

interface Replayed {
  readonly matched: number
  readonly replayed: readonly { readonly forkedFrom: string }[]
}

describe('GET /observability/failures', () => {
  let server: TestServer
  beforeEach(() => {
    broken = true
    server = new TestServer({ workflows: [payout, parent] })
  })
  afterEach(() => server.close())

  const send = async (path: string, input: unknown) => {
    const response = await server.post(path, { input })
    expect(response.status).toBe(500)
    return response.headers.get('x-execution-id') ?? ''
  }
  const pay = (account: string) => send('/workflows/payout/execute', { account })
  const list = (query = '') => dataOf<Failure[]>(server.request(`/observability/failures${query}`))

  it('executions that fail in the same way are one failure, whatever values their messages have', async () => {
    await pay('ada')
    const last = await pay('grace')
    const [failure, ...others] = await list()
    expect(others).toEqual([])
    expect(failure).toMatchObject({
      workflowId: 'payout',
      workflowName: 'Payout',
      error: { name: 'TypeError', message: 'Account "grace" of order 5 is frozen', stepId: 'pay' },
      count: 2,
      lastExecutionId: last,
      firstGeneration: 1,
      open: true,
      resolvedAt: null,
    })
    expect(failure?.hours).toHaveLength(24)
    expect(failure?.hours.reduce((sum, count) => sum + count, 0)).toBe(2)
  })

  it('the failure of a child is that of its parent', async () => {
    await send('/workflows/parent/execute', {})
    await pay('ada')
    expect((await list()).map(({ workflowId }) => workflowId)).toEqual(['payout', 'parent'])
    expect((await list('?workflowId=parent'))[0]?.error.stepId).toBe('child')
    const page = await server.request('/observability/failures?limit=1&offset=1')
    expect(page.headers.get('x-total-count')).toBe('2')
    expect(await dataOf<Failure[]>(page)).toMatchObject([{ workflowId: 'parent' }])
  })

  it('the replay of all executions of a failure resolves it, and the next one that fails opens it', async () => {
    const ids = [await pay('ada'), await pay('grace')]
    const { id = '' } = (await list())[0] ?? {}
    broken = false
    const replay = (body: object) => dataOf<Replayed>(server.post('/workflows/executions/replay', body))
    const filter = { failure: id, status: 'error' }
    expect(await replay({ filter, dryRun: true })).toMatchObject({ matched: 2, replayed: [] })
    const { replayed } = await replay({ filter })
    expect(replayed.map(({ forkedFrom }) => forkedFrom).toSorted()).toEqual(ids.toSorted())
    await expect.poll(() => list('?open=true')).toEqual([])
    const [resolved] = await list('?open=false')
    expect(resolved).toMatchObject({ id, count: 2, open: false, resolvedAt: expect.any(String) })
    const runs = await dataOf<object[]>(server.request(`/workflows/executions?failure=${id}`))
    expect(runs).toHaveLength(4)
    broken = true
    await pay('ada')
    expect(await list('?open=true')).toMatchObject([{ id, count: 3, open: true, resolvedAt: null }])
  })
})
