import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { parseSearch } from '../../../src/contract/search/search-query.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { SearchIndex } from '../../../src/engine/search/search-index.ts'
import type { ExecutionRow, ExecutionWrite } from '../../../src/store/execution-store.ts'
import { COMPLETED, agentRunRow, runningMessagesOf } from './agent-run-rows.ts'
import { eventRow, insertion, stepRow } from './execution-rows.ts'
import { logRow } from './log-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ALL = { limit: 100, offset: 0 }

/** Tests of the full-text index. */
export function searchTests(store: StoreUnderTest): void {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })
  const started = (row: Partial<ExecutionRow> & { id: string }): ExecutionWrite => ({
    ...insertion(row),
    events: [eventRow(1, true)],
  })
  /** Indexes all changes so far. */
  const indexAll = async () => {
    const logger = pino({ level: 'silent' })
    const index = new SearchIndex({
      store: { ...store, search: store.search, logs: store.logs, health: HEALTHY },
      flushLogs: async () => undefined,
      logger,
      clock: systemClock,
    })
    stops.push(index.start())
    while (await index.advance()) continue
  }
  const found = async (text: string, more: object = {}) => {
    const { query } = parseSearch(text)
    if (!query) throw new Error(`Not a search: ${text}`)
    const results = await store.search.find({ ...query, ...more }, { limit: 100 })
    return results.map(({ id }) => id)
  }

  it('finds executions by id, names, user, input, output, error, results of steps and log messages', async () => {
    await store.executions.write([
      started({
        id: 'exec-1',
        workflowId: 'order',
        workflowName: 'Order processing',
        userId: 'ann@example.com',
        input: '{"number":"A-1042","note":"line\\nbreak"}',
      }),
      { ...started({ id: 'failed', status: 'error', error: '{"message":"Card declined: insufficient"}' }) },
      { ...started({ id: 'done', status: 'completed', output: '{"city":"Zürich"}' }) },
      { ...started({ id: 'stepped' }), steps: [stepRow({ path: 's', output: '{"carrier":"Speedy"}' })] },
      { ...started({ id: 'logged' }) },
    ])
    await store.logs.insert([logRow(1000, { executionId: 'logged', message: 'Inventory was low' })])
    await indexAll()
    expect(await found('exec-1')).toEqual(['exec-1'])
    expect(await found('processing')).toEqual(['exec-1'])
    expect(await found('ann@example.com')).toEqual(['exec-1'])
    expect(await found('"A-1042"')).toEqual(['exec-1'])
    expect(await found('break')).toEqual(['exec-1'])
    expect(await found('declined CARD')).toEqual(['failed'])
    expect(await found('zurich')).toEqual(['done'])
    expect(await found('speedy')).toEqual(['stepped'])
    expect(await found('inventory')).toEqual(['logged'])
    expect(await found('nothing')).toEqual([])
  })

  it('finds executions and runs by the users who decided', async () => {
    const resumed = (seq: number, fields: object) => ({
      seq,
      data: JSON.stringify({ type: 'workflow-resumed', seq, stepId: 'ask', ...fields }),
    })
    await store.executions.write([
      {
        ...started({ id: 'first' }),
        events: [eventRow(1, true), resumed(2, { resumedBy: 'ann', resumedOver: 'mcp' })],
      },
      {
        ...started({ id: 'second', userId: 'ann' }),
        events: [eventRow(1, true), resumed(2, { resumedAs: 'operator' })],
      },
    ])
    const approval = { kind: 'tool', toolCallId: 'call', toolName: 'refund', input: '{}' } as const
    await store.agentRuns.insert(agentRunRow({ id: 'run', ownerEpoch: store.ownerEpoch }))
    await store.agentRuns.suspend('run', {
      continuation: '{}',
      approvals: [{ ...approval, id: 'approval' }],
      suspendedAt: 100,
      expiresAt: 200,
      output: null,
      usage: null,
      steps: '[]',
    })
    const decision = JSON.stringify({ response: { approved: true }, decidedBy: 'bob', decidedOver: 'http' })
    await store.agentRuns.decide('run', [{ id: 'approval', decision }], { decidedAt: 150 })
    await store.agentRuns.finish('run', COMPLETED)
    await indexAll()
    expect(await found('decided:ann')).toEqual(['first'])
    expect(await found('decided:bob')).toEqual(['run'])
    expect(await found('bob')).toEqual(['run'])
    expect(await found('decided:operator')).toEqual([])
  })

  it('finds the beginning of the last word, phrases in their order, and other words whole', async () => {
    await store.executions.write([
      started({ id: 'a', input: '"payment gateway refused"' }),
      started({ id: 'b', input: '"refused payment"' }),
    ])
    await indexAll()
    expect(await found('refus')).toEqual(['b', 'a'])
    expect(await found('"refus"')).toEqual([])
    expect(await found('pay refused')).toEqual([])
    expect(await found('"payment gateway" ref')).toEqual(['a'])
    expect(await found('"gateway payment"')).toEqual([])
  })

  it('filters by status, workflow, agent, user and kind, and lists the newest first', async () => {
    await store.executions.write([
      started({ id: 'old', createdAt: 1000, workflowId: 'Order-1', status: 'error', input: '"word"' }),
      started({ id: 'new', createdAt: 3000, workflowId: 'Order-1', userId: 'bo', input: '"word"' }),
      started({ id: 'other', createdAt: 2000, workflowId: 'mail', input: '"word"' }),
    ])
    await store.agentRuns.insert(agentRunRow({ id: 'run', startedAt: 2500, input: '"word"', userId: 'bo' }))
    await indexAll()
    expect(await found('word')).toEqual(['new', 'run', 'other', 'old'])
    expect(await found('word workflow:order-1')).toEqual(['new', 'old'])
    expect(await found('workflow:order-1 status:failed')).toEqual(['old'])
    expect(await found('status:error status:running kind:execution')).toEqual(['new', 'other', 'old'])
    expect(await found('user:bo')).toEqual(['new', 'run'])
    expect(await found('agent:helper wor')).toEqual(['run'])
    expect(await found('word', { from: 2500 })).toEqual(['new', 'run'])
  })

  it('pages through results', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `e${n}`)
    await store.executions.write(ids.map((id) => started({ id, input: '"same"' })))
    await indexAll()
    const { query = { terms: [], facets: {} } } = parseSearch('same')
    const pages: string[][] = []
    for (let before: string | undefined; ;) {
      const page = await store.search.find(query, { limit: 3, before })
      if (page.length === 0) break
      pages.push(page.map(({ id }) => id))
      before = page.at(-1)?.position
    }
    expect(pages).toEqual([['e6', 'e5', 'e4'], ['e3', 'e2', 'e1'], ['e0']])
  })

  it('follows the changes of a record', async () => {
    await store.executions.write([started({ id: 'a', input: '"begun"' })])
    await indexAll()
    expect(await found('status:running')).toEqual(['a'])
    await store.executions.write([
      {
        id: 'a',
        update: {
          from: 'running',
          set: { status: 'completed', output: '"finished"', endedAt: 5, updatedAt: 5 },
        },
        events: [eventRow(2, true)],
      },
    ])
    expect(await found('finished')).toEqual([])
    await indexAll()
    expect(await found('begun finished')).toEqual(['a'])
    expect(await found('status:running')).toEqual([])
  })

  it('finds agent runs, and nothing of a deleted conversation', async () => {
    const key = { userId: 'ann', conversationId: 'talk' }
    const { ownerEpoch } = store
    await store.agentRuns.insert(agentRunRow({ id: 'r1', ownerEpoch, ...key, input: '"secretive question"' }))
    await store.agentRuns.finish(
      'r1',
      { ...COMPLETED, output: '"an answer"' },
      runningMessagesOf({ key, messages: ['"q"'] }),
    )
    await indexAll()
    expect(await found('secretive answer')).toEqual(['r1'])
    await store.conversations.delete(key)
    expect(await found('secretive')).toEqual([])
    await indexAll()
    expect(await found('kind:run')).toEqual([])
  })

  it('loses executions that retention deletes, also those that were deleted before they were indexed', async () => {
    await store.executions.write([
      started({ id: 'old', status: 'completed', endedAt: 1, input: '"word"' }),
      started({ id: 'new', status: 'completed', endedAt: 100, input: '"word"' }),
    ])
    const { records, changes } = await store.search.outdated(10)
    if (!changes) throw new Error('Nothing has changed')
    const documents = records.map((record) => ({ record, words: ['word'], facets: [] }))
    await store.executions.prune({ endedBefore: 50, keep: 1000 }, 10)
    expect(await store.search.index(documents, changes)).toBe(true)
    expect(await found('word')).toEqual(['new'])
    await store.executions.prune({ endedBefore: 500, keep: 1000 }, 10)
    expect(await found('word')).toEqual([])
  })

  it('indexes a change once, whoever does it', async () => {
    await store.executions.write([started({ id: 'a' })])
    await store.agentRuns.insert(agentRunRow({ id: 'r' }))
    const one = await store.search.outdated(10)
    const other = await store.search.outdated(10)
    expect(one.records.map(({ id }) => id)).toEqual(['a', 'r'])
    if (!one.changes || !other.changes) throw new Error('Nothing has changed')
    expect(await store.search.index([], one.changes)).toBe(true)
    expect(await store.search.index([], other.changes)).toBe(false)
    expect(await store.search.outdated(10)).toEqual({ records: [], changes: undefined })
  })

  it('states since when, also for a commit whose events refer to many values', async () => {
    const text = JSON.stringify('a'.repeat(300))
    const value = { member: 'input', text }
    const at = new Date(7000).toISOString()
    const events = Array.from({ length: 200 }, (_, index) => ({
      seq: index + 1,
      data: `{"type":"${index === 0 ? 'workflow' : 'step'}-start","timestamp":"${at}","input":${text}}`,
      value,
    }))
    await store.executions.write([{ ...insertion({ id: 'a', input: text }), events }])
    expect(await store.search.outdated(10)).toMatchObject({ since: 7000 })
  })

  it('states since when changes are not indexed', async () => {
    const at = (time: number) => `"timestamp":"${new Date(time).toISOString()}"`
    const change = (id: string, time: number) => ({
      ...insertion({ id, input: `{${at(1)}}` }),
      events: [{ ...eventRow(1, true), data: `{"type":"workflow-start",${at(time)},"input":{${at(1)}}}` }],
    })
    await store.executions.write([change('a', 5000), change('b', 6000)])
    expect(await store.search.outdated(10)).toMatchObject({ since: 5000 })
    await store.agentRuns.insert(agentRunRow({ id: 'r', startedAt: 4000 }))
    expect(await store.search.outdated(10)).toMatchObject({ since: 4000 })
    await indexAll()
    expect(await store.search.outdated(10)).toEqual({ records: [], changes: undefined })
  })

  it('shows a user the executions that are open to the user, and the runs of the user', async () => {
    await store.executions.write([
      started({ id: 'mine', owner: '"ann"', input: '"word"' }),
      started({ id: 'anyones', input: '"word"' }),
      started({ id: 'theirs', owner: '"bo"', input: '"word"' }),
    ])
    await store.agentRuns.insert(agentRunRow({ id: 'r-ann', userId: 'ann', input: '"word"' }))
    await store.agentRuns.insert(agentRunRow({ id: 'r-bo', userId: 'bo', input: '"word"' }))
    await indexAll()
    const openTo = { owner: '"ann"', userId: 'ann' }
    expect((await found('word', { openTo })).toSorted()).toEqual(['anyones', 'mine', 'r-ann'])
    const nobody = { owner: null, userId: null }
    expect(await found('word', { openTo: nobody })).toEqual(['anyones'])
  })

  it('finds texts of any characters', async () => {
    const hostile = [
      '"; DROP TABLE executions; --',
      "it's \\ 100% *",
      '<script>alert(1)</script>',
      '東京都',
      '\u202Eabc',
    ]
    await store.executions.write(
      hostile.map((text, n) => started({ id: `e${n}`, createdAt: n, input: JSON.stringify({ text }) })),
    )
    await indexAll()
    expect(await found("drop table 'executions' OR NEAR( *")).toEqual([])
    expect(await found('drop table executions')).toEqual(['e0'])
    expect(await found("it's 100")).toEqual(['e1'])
    expect(await found('alert(1)')).toEqual(['e2'])
    expect(await found('東京')).toEqual(['e3'])
    expect(await found('abc')).toEqual(['e4'])
    expect(await found('user:"\' OR 1=1"')).toEqual([])
  })

  it('limits lists of executions', async () => {
    await store.executions.write([
      started({ id: 'a', input: '"needle"', workflowId: 'order' }),
      started({ id: 'b', input: '"needle"', workflowId: 'mail' }),
      started({ id: 'c', input: '"hay"', workflowId: 'order' }),
    ])
    await store.agentRuns.insert(agentRunRow({ id: 'r', input: '"needle"' }))
    await indexAll()
    const { query: search } = parseSearch('needle')
    expect((await store.executions.list({ search }, ALL)).map(({ id }) => id)).toEqual(['b', 'a'])
    const filter = { search, workflowId: 'order' }
    expect((await store.executions.list(filter, ALL)).map(({ id }) => id)).toEqual(['a'])
    expect(await store.executions.count(filter)).toBe(1)
  })
}

const HEALTHY = { problem: undefined, waits: false, opened: Promise.resolve() }
