import { createWorkflow } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { afterEach, describe, expect, it } from 'vitest'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

let broken = true
const failing = createWorkflow({ id: 'failing' })
  .andThen({ id: 'one', execute: () => 1 })
  .andThen({
    id: 'two',
    execute: () => {
      if (broken) throw new Error('broken')
      return 2
    },
  })
const asking = createWorkflow({ id: 'asking', run: async ({ step }) => step.suspend('ask') })

interface Many {
  readonly matched: number
  readonly cancelled: string[]
  readonly replayed: { executionId: string; forkedFrom: string }[]
  readonly failed: object[]
}

describe('metadata and changes of many executions', () => {
  const servers: TestServer[] = []
  const serve = (config: AgentServerConfig = {}) => {
    const server = new TestServer({ workflows: [failing, asking], ...config })
    servers.push(server)
    return server
  }
  afterEach(async () => {
    broken = true
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const start = async (server: TestServer, metadata: object, workflow = 'asking') => {
    const { executionId } = await server.execute(workflow, {}, { metadata })
    return executionId
  }

  it('lists and the search find executions by metadata.<name>', async () => {
    const server = serve()
    const pro = await start(server, { plan: 'Pro', seats: 5 })
    await start(server, { plan: 'free' })
    const ids = async (path: string) =>
      (await dataOf<{ id: string }[]>(server.request(path))).map(({ id }) => id)
    for (const path of ['/workflows/executions', '/observability/executions'])
      expect(await ids(`${path}?metadata.plan=Pro&metadata.seats=5`)).toEqual([pro])
    expect(await ids('/workflows/executions?metadata.plan=Pro&metadata.seats=6')).toEqual([])
    const found = async (q: string) => {
      const response = await server.request(`/observability/search?q=${q}`)
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    const q = encodeURIComponent('metadata.plan=pro metadata.seats=5')
    await expect.poll(() => found(q)).toEqual([pro])
    expect(await found(encodeURIComponent('metadata.plan=pro metadata.seats=6'))).toEqual([])
    expect(await ids(`/workflows/executions?q=${q}`)).toEqual([pro])
    const [record] = await dataOf<{ metadata: object }[]>(
      server.request('/workflows/executions?metadata.plan=Pro'),
    )
    expect(record?.metadata).toMatchObject({ plan: 'Pro', seats: 5, traceId: expect.any(String) })
  })

  it.each([
    ['metadata=plan%3Dpro', 'metadata: Must be metadata.<name>=<value>, such as metadata.plan=pro'],
    ['metadata[plan]=pro', 'Must be metadata.<name>=<value>'],
    ['metadata.=pro', 'Must be letters, digits'],
    ['metadata.traceId=1', 'Is reserved'],
  ])('a filter of metadata that can not be read is refused: %s', async (query, message) => {
    const server = serve()
    for (const path of ['/workflows/executions', '/observability/executions'])
      expect(await refusalOf(server.request(`${path}?${query}`), 400)).toContain(message)
    const filter = Object.fromEntries(new URLSearchParams(query))
    expect(await refusalOf(server.post('/workflows/executions/cancel', { filter }), 400)).toContain(message)
  })

  it('a filter of metadata may have "=" in its value', async () => {
    const server = serve()
    const formula = await start(server, { formula: 'a=b' })
    await start(server, { formula: 'a' })
    const found = await dataOf<{ id: string }[]>(server.request('/workflows/executions?metadata.formula=a=b'))
    expect(found.map(({ id }) => id)).toEqual([formula])
  })

  it.each([
    ['an object', { a: { b: 1 } }],
    ['the id of the trace', { traceId: 'x' }],
    ['a name with a space', { 'a b': 1 }],
    ['a long text', { a: 'x'.repeat(513) }],
    ['21 members', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`m${n}`, n]))],
  ])('%s in the metadata is refused with 400', async (_, metadata) => {
    const body = { input: {}, options: { metadata } }
    expect(await refusalOf(serve().post('/workflows/asking/execute', body), 400)).toContain('metadata')
  })

  it('POST /workflows/executions/cancel cancels what the filter finds, and with dryRun only counts', async () => {
    const server = serve()
    const ids = [await start(server, { batch: 'a' }), await start(server, { batch: 'a' })]
    const other = await start(server, { batch: 'b' })
    const cancel = (body: object) => dataOf<Many>(server.post('/workflows/executions/cancel', body))
    const filter = { workflowId: 'asking', 'metadata.batch': 'a' }
    expect(await cancel({ filter, dryRun: true })).toEqual({ matched: 2, cancelled: [], failed: [] })
    const cancelled = await cancel({ filter, reason: 'closed' })
    expect({ ...cancelled, cancelled: cancelled.cancelled.toSorted() }).toEqual({
      matched: 2,
      cancelled: ids.toSorted(),
      failed: [],
    })
    expect(await cancel({ filter })).toMatchObject({ matched: 0 })
    expect(await dataOf(server.request(`/workflows/asking/executions/${other}/state`))).toMatchObject({
      status: 'suspended',
    })
  })

  it.each([
    ['an empty filter', {}],
    ['an unknown filter', { workflow: 'asking' }],
    ['an unknown filter beside a known one', { status: 'suspended', limit: '1' }],
    ['a status that does not exist', { status: 'broken' }],
  ])('%s is refused with 400, and nothing changes', async (_, filter) => {
    const server = serve()
    await start(server, {})
    for (const path of ['cancel', 'replay'])
      expect((await server.post(`/workflows/executions/${path}`, { filter })).status).toBe(400)
    expect(await dataOf(server.request('/workflows/executions?status=suspended'))).toHaveLength(1)
  })

  it('POST /workflows/executions/replay replays failed executions from the step that failed', async () => {
    const server = serve()
    const fail = async () => {
      const response = await server.post('/workflows/failing/execute', { input: {} })
      return response.headers.get('x-execution-id') ?? ''
    }
    const ids = [await fail(), await fail()]
    broken = false
    const replay = (body: object) => dataOf<Many>(server.post('/workflows/executions/replay', body))
    const filter = { status: 'error' }
    expect(await replay({ filter, dryRun: true })).toEqual({ matched: 2, replayed: [], failed: [] })
    const { replayed, failed } = await replay({ filter })
    expect(failed).toEqual([])
    expect(replayed.map(({ forkedFrom }) => forkedFrom).toSorted()).toEqual(ids.toSorted())
    const record = () => dataOf(server.request(`/observability/executions/${replayed[0]?.executionId}`))
    await expect.poll(record).toMatchObject({ status: 'completed', forkedFrom: { stepId: 'two' }, output: 2 })
    expect(await replay({ filter, stepId: 'nowhere' })).toMatchObject({
      replayed: [],
      failed: [{ error: expect.stringContaining('nowhere') }, {}],
    })
  })

  it('users can change many executions only where consoleRoutes opens it, and then their own', async () => {
    const provider = { type: 'test', verifyToken: (token: string) => ({ id: token }) }
    const as = (user: string) => ({ authorization: `Bearer ${user}` })
    const closed = serve({ authNext: { provider } })
    const body = { filter: { status: 'suspended' } }
    expect((await closed.post('/workflows/executions/cancel', body, as('ann'))).status).toBe(401)
    const open = serve({ authNext: { provider, consoleRoutes: ['GET /workflows'] } })
    const run = (user: string) =>
      dataOf<{ executionId: string }>(open.post('/workflows/asking/execute', { input: {} }, as(user)))
    const [anns] = await Promise.all([run('ann'), run('bob')])
    const { cancelled, matched } = await dataOf<Many>(
      open.post('/workflows/executions/cancel', body, as('ann')),
    )
    expect({ cancelled, matched }).toEqual({ cancelled: [anns?.executionId], matched: 1 })
  })
})
