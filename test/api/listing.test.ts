import { afterAll, describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const at = (workflow: string, id: string, action = '') => `/workflows/${workflow}/executions/${id}${action}`

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string

describe('a listing of executions', () => {
  const own = new TestServer()
  afterAll(() => own.close())
  const list = async (query = '', path = '/workflows/executions') =>
    dataOf<ExecutionRecord[]>(own.request(path + query))
  const filled = (async () => {
    for (const n of [1, 2, 3]) {
      await own.execute('echo', { n }, { userId: `u${n}`, conversationId: `c${n}` })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await own.execute('ask')
    await own.post('/workflows/broken/execute', { input: {} })
    const held = await own.startHeldExecution()
    const cancelled = await own.startHeldExecution()
    await dataOf(own.post(at('hold', cancelled, '/cancel')))
    return held
  })()

  it('is sorted newest first', async () => {
    await filled
    const records = await list()
    expect(records.map(({ workflowId }) => workflowId)).toEqual([
      'hold',
      'hold',
      'broken',
      'ask',
      'echo',
      'echo',
      'echo',
    ])
    expect(records.map(({ input }) => input).slice(-3)).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }])
    expect(await list('', '/observability/executions')).toEqual(records)
  })

  it.each([
    ['workflowId=echo', 3],
    ['workflowId=unknown', 0],
    ['workflowId=__proto__', 0],
    ['status=running', 1],
    ['status=suspended', 1],
    ['status=completed', 3],
    ['status=error', 1],
    ['status=cancelled', 1],
    ['userId=u2', 1],
    ['userId=nobody', 0],
    ['conversationId=c3', 1],
    ['workflowId=echo&userId=u1&status=completed', 1],
    ['workflowId=ask&userId=u1', 0],
    ['unknown=1', 7],
  ])('filtered by %s has %i', async (query, count) => {
    await filled
    expect(await list(`?${query}`)).toHaveLength(count)
    const counted = await own.request(`/workflows/executions?${query}&limit=1`)
    expect(counted.headers.get('x-total-count')).toBe(String(count))
    expect(await dataOf<unknown[]>(counted)).toHaveLength(Math.min(1, count))
  })

  it('excludes the instants from and to', async () => {
    await filled
    const [third, second, first] = await list('?workflowId=echo')
    const from = first?.createdAt ?? ''
    const to = third?.createdAt ?? ''
    expect(await list(`?workflowId=echo&from=${from}&to=${to}`)).toEqual([second])
    expect(await list(`?workflowId=echo&from=${from}`)).toEqual([third, second])
    expect(await list(`?workflowId=echo&to=${to}`)).toEqual([second, first])
    const offset = encodeURIComponent(from.replace('Z', '+00:00'))
    expect(await list(`?workflowId=echo&from=${offset}&to=${to}`)).toEqual([second])
    expect(await list('?from=2000-01-01')).toHaveLength(7)
    expect(await list('?to=2000-01-01')).toHaveLength(0)
  })

  it('has pages', async () => {
    await filled
    const all = await list()
    const page = await own.request('/workflows/executions?limit=2&offset=3')
    expect(page.headers.get('x-total-count')).toBe('7')
    expect(await dataOf(page)).toEqual(all.slice(3, 5))
    expect(await list('?offset=100')).toEqual([])
    expect((await own.request('/workflows/executions')).headers.has('x-total-count')).toBe(false)
    expect(await list('?limit=200')).toHaveLength(7)
  })

  it('has 20 items by default', async () => {
    const many = new TestServer()
    for (let n = 0; n < 21; n++) await many.execute('echo')
    expect(await dataOf<unknown[]>(many.request('/workflows/executions'))).toHaveLength(20)
    expect(await dataOf<unknown[]>(many.request('/workflows/executions?offset=20'))).toHaveLength(1)
    await many.close()
  })

  it.each([
    ['limit', ['0', '201', '-1', '1.5', 'ten', '', '1e2', '0x10', ' 1', '9999999999999999']],
    ['offset', ['-1', '1.5', 'x', '', '9999999999999999']],
    ['status', ['idle', 'done', 'Running', '']],
    ['from', ['yesterday', '', '1700000000000', '2024-13-01', '2024-01-01T25:00:00Z']],
    ['to', ['tomorrow', '2024-01-01T00:00:00+02:00']],
  ])('refuses an invalid %s', async (name, values) => {
    for (const value of values)
      for (const path of ['/workflows/executions', '/observability/executions'])
        expect(await refusalOf(own.request(`${path}?${name}=${value}`), 400)).toMatch(
          new RegExp(`^${name}: `),
        )
  })

  it('refuses a repeated filter', async () => {
    expect(await refusalOf(own.request('/workflows/executions?status=running&status=error'), 400)).toBe(
      'status: Must not be repeated',
    )
    await refusalOf(own.request('/workflows/executions?limit=1&limit=1'), 400)
  })

  it('has the workflow-level events, and not those of steps', async () => {
    await filled
    const [completed] = await list('?workflowId=echo&limit=1')
    expect(completed?.events).toEqual([
      {
        id: '1',
        type: 'workflow-start',
        name: 'Echo',
        from: 'Echo',
        startTime: INSTANT,
        status: 'running',
        input: { n: 3 },
      },
      {
        id: expect.any(String) as string,
        type: 'workflow-complete',
        name: 'Echo',
        from: 'Echo',
        startTime: INSTANT,
        endTime: INSTANT,
        status: 'success',
        output: completed?.output,
      },
    ])
    expect(completed?.metadata).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    })
    const types = async (query: string) => (await list(query))[0]?.events.map(({ type }) => type)
    expect(await types('?status=error')).toEqual(['workflow-start', 'workflow-error'])
    expect(await types('?status=suspended')).toEqual(['workflow-start', 'workflow-suspended'])
    expect(await types('?status=cancelled')).toEqual(['workflow-start', 'workflow-cancelled'])
  })
})
