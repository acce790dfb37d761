import { createAgent, createWorkflow, demoModel } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import type { SearchResult } from '../../src/contract/endpoints/search.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const order = createWorkflow({
  id: 'order',
  name: 'Order processing',
  inputSchema: z.object({ orderId: z.string(), fails: z.boolean().optional() }),
}).andThen({
  id: 'charge',
  execute: ({ data, logger }) => {
    logger.info('Asked the acquirer')
    if (data.fails) throw new RangeError('The card was declined with Bearer abc.def-1')
    return { receipt: `R-${data.orderId}` }
  },
})
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help', model: demoModel() })

const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
const serve = (config: ConstructorParameters<typeof TestServer>[0] = {}) => {
  const server = new TestServer({ workflows: [order], agents: [helper], ...config })
  servers.push(server)
  return server
}
const resultsOf = (sent: Response | Promise<Response>) => dataOf<SearchResult[]>(sent, 200, ['indexedUntil'])
const search = (server: TestServer, q: string, more = '') =>
  resultsOf(server.request(`/observability/search?q=${encodeURIComponent(q)}${more}`))
/** An execution that fails. Returns its id. */
const failed = async (server: TestServer, executionId: string, options: object = {}) => {
  const input = { orderId: 'A-1042', fails: true }
  await refusalOf(
    server.post('/workflows/order/execute', { input, options: { executionId, ...options } }),
    500,
  )
  return executionId
}
const listed = async (server: TestServer, query: string) =>
  (await dataOf<ExecutionRecord[]>(server.request(`/observability/executions?${query}`))).map(({ id }) => id)

/** Searches until something is found: indexing follows the commits. */
const eventually = async (server: TestServer, q: string) => {
  await expect.poll(() => search(server, q), { timeout: 10_000 }).not.toEqual([])
  return search(server, q)
}

describe('GET /observability/search', () => {
  it('finds executions and agent runs, with the text around the words', async () => {
    const server = serve()
    const id = await failed(server, 'exec-of-ann')
    const { executionId: done } = await server.execute('order', { orderId: 'B-7' })
    await dataOf(server.post('/agents/helper/text', { input: 'Where is parcel Q-55?' }))
    expect(await eventually(server, '"A-1042" status:error workflow:order last:1h')).toMatchObject([
      {
        kind: 'execution',
        id,
        subjectId: 'order',
        subjectName: 'Order processing',
        status: 'error',
        match: { field: 'input', text: '{"orderId":"A-1042","fails":true}' },
      },
    ])
    const [declined] = await eventually(server, 'card declined')
    expect(declined).toMatchObject({ id, match: { field: 'error' } })
    expect(declined?.match?.text).toContain('The card was declined')
    expect(declined?.match?.text).not.toContain('abc.def-1')
    expect(await eventually(server, '"R-B-7"')).toMatchObject([{ id: done, match: { field: 'output' } }])
    expect(await eventually(server, `acquirer ${done}`)).toMatchObject([{ id: done }])
    expect(await eventually(server, 'kind:run parcel')).toMatchObject([
      { kind: 'run', subjectId: 'helper', status: 'completed' },
    ])
    expect(await eventually(server, done)).toMatchObject([{ id: done, match: null }])
  })

  it('does not find what is redacted', async () => {
    const server = serve()
    const executionId = await failed(server, 'leaky')
    await eventually(server, executionId)
    expect(await search(server, '"abc.def-1"')).toEqual([])
  })

  it('states up to which time changes are found', async () => {
    const server = serve()
    const { executionId } = await server.execute('order', { orderId: 'C-3' })
    await eventually(server, executionId)
    const before = Date.now()
    const response = await server.request(`/observability/search?q=${executionId}`)
    const { indexedUntil } = (await response.json()) as { indexedUntil: string }
    expect(Date.parse(indexedUntil)).toBeGreaterThanOrEqual(before)
  })

  it('pages with the cursor of the header', async () => {
    const server = serve()
    const ids: string[] = []
    for (let n = 0; n < 5; n++)
      ids.push((await server.execute('order', { orderId: `same ${n}` })).executionId)
    await expect.poll(async () => (await search(server, 'same')).length, { timeout: 10_000 }).toBe(5)
    const found: string[] = []
    for (let cursor = ''; ;) {
      const response = await server.request(`/observability/search?q=same&limit=2${cursor}`)
      const next = response.headers.get('X-Next-Cursor')
      found.push(...(await resultsOf(response)).map(({ id }) => id))
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    expect(found).toEqual(ids.toReversed())
  })

  it.each([
    ['q=colour:red', 'Unknown filter "colour". Filters: status, workflow, agent, user, decided, kind, last'],
    ['q=%22open', 'A quotation mark has no counterpart'],
    ['q=', 'Must contain a word'],
    ['q=a%00b', 'Must not contain the character NUL'],
    ['q=a&limit=101', 'whole number from 1 to 100'],
    ['q=a&cursor=x', 'X-Next-Cursor'],
    ['', 'q'],
  ])('refuses %s with the reason', async (query, reason) => {
    expect(await refusalOf(serve().request(`/observability/search?${query}`), 400)).toContain(reason)
  })
})

describe('GET /observability/executions?q=', () => {
  it('lists the executions that are found, with the other filters', async () => {
    const server = serve()
    const a = await failed(server, 'first-of-ann', { userId: 'ann' })
    const { executionId: b } = await server.execute('order', { orderId: 'A-1042' })
    await expect.poll(() => listed(server, 'q=%22A-1042%22'), { timeout: 10_000 }).toEqual([b, a])
    expect(await listed(server, 'q=declined')).toEqual([a])
    expect(await listed(server, `q=${a.slice(0, -2)}`)).toEqual([a])
    expect(await listed(server, 'q=user:ann')).toEqual([a])
    expect(await listed(server, 'q=%22A-1042%22&status=completed')).toEqual([b])
    expect(await listed(server, 'q=user:ann+last:1h')).toEqual([a])
    const response = await server.request('/observability/executions?q=%22A-1042%22&limit=1')
    expect(response.headers.get('X-Total-Count')).toBe('2')
    expect(await refusalOf(server.request('/observability/executions?q=x:y'), 400)).toContain(
      'Unknown filter "x"',
    )
  })
})
