import { beforeEach, describe, expect, it } from 'vitest'
import type { ErasableRecord } from '../../../src/store/erasure-store.ts'
import { agentRunRow, COMPLETED, runningMessagesOf } from './agent-run-rows.ts'
import { executionRow } from './execution-rows.ts'
import { logRow } from './log-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'
import { spanOf, T0, traceChange, traceId } from './trace-rows.ts'

const idsOf = (records: readonly ErasableRecord[]) => records.map(({ id }) => id)
const START = { seq: 1, data: '{"type":"workflow-start"}' }

/** Tests of the deletion of records on request. */
export function erasureTests(store: StoreUnderTest): void {
  const put = (row: Partial<Parameters<typeof executionRow>[0]> & { id: string }) =>
    store.executions.write([{ id: row.id, insert: executionRow(row), events: [START] }])
  const run = async (row: Parameters<typeof agentRunRow>[0]) => {
    const key = { userId: row.userId ?? null, conversationId: row.conversationId ?? 'talk' }
    const full = agentRunRow({ ...row, ownerEpoch: store.ownerEpoch })
    const runningMessages = runningMessagesOf({ key, messages: ['{"role":"user","content":"Hi"}'] })
    await store.agentRuns.insert(full, undefined, row.conversationId == null ? undefined : runningMessages)
  }
  const names = async (executions: readonly string[]) => {
    const rows = await Promise.all(executions.map((id) => store.executions.get(id)))
    return rows.flatMap((row) => row?.id ?? [])
  }

  it('finds executions, and what they and agent runs have requested', async () => {
    await put({ id: 'top', traceId: 't1' })
    await put({ id: 'child', parentId: 'top', status: 'completed', endedAt: 2000, traceId: 't1' })
    await put({ id: 'other' })
    await run({ id: 'answer', parentId: 'child', requester: 'step', traceId: 't2' })
    expect(await store.erasure.executions(['child', 'missing'])).toEqual([
      { id: 'child', traceId: 't1', isOpen: false },
    ])
    expect(await store.erasure.parts(['top'])).toEqual({
      executions: [{ id: 'child', traceId: 't1', isOpen: false }],
      runs: [],
    })
    expect(await store.erasure.parts(['child', 'other'])).toEqual({
      executions: [],
      runs: [{ id: 'answer', traceId: 't2', isOpen: true }],
    })
  })

  it('finds what a user started or owns, up to a limit', async () => {
    for (const id of ['a', 'b', 'c']) await put({ id, userId: 'ann' })
    await put({ id: 'owned', owner: '"ann"', userId: 'someone' })
    await put({ id: 'of bob', userId: 'bob', owner: '"bob"' })
    await run({ id: 'r1', userId: 'ann' })
    await run({ id: 'r2', userId: 'bob' })
    const found = await store.erasure.ofUser('ann', 10)
    expect([idsOf(found.executions), idsOf(found.runs)]).toEqual([['a', 'b', 'c', 'owned'], ['r1']])
    expect(idsOf((await store.erasure.ofUser('ann', 2)).executions)).toEqual(['a', 'b'])
    expect(await store.erasure.ofUser('a%', 10)).toEqual({ executions: [], runs: [] })
  })

  it('deletes executions and agent runs with all that belongs to them, and nothing else', async () => {
    const job = { key: 'event:e1', job: { kind: 'event', id: 'e1' }, at: 0 } as const
    for (const id of ['e1', 'e2'])
      await store.events.insert(
        { id, name: 'paid', key: null, data: '{"card":1}', at: 1000, sender: null, misfits: null },
        [{ ...job, key: `event:${id}` }],
      )
    for (const id of ['gone', 'kept']) {
      await put({ id, userId: 'ann' })
      const taken = id === 'gone' ? ['e1', 'e2'] : ['e2']
      await store.executions.write([
        {
          id,
          update: { from: 'running', set: { status: 'completed', updatedAt: 2000, endedAt: 2000 } },
          waits: { add: [], drop: [], take: taken },
        },
      ])
      await run({ id: `run of ${id}`, userId: 'ann', parentId: id, requester: 'step' })
      await store.agentRuns.finish(`run of ${id}`, COMPLETED)
    }
    const found = await store.search.outdated(100)
    const documents = found.records.map((record) => ({ record, words: ['w'], facets: [] }))
    if (found.changes) await store.search.index(documents, found.changes)
    const newest = await store.executions.newestMilestone()

    const rows = await store.erasure.delete({ executions: ['gone', 'missing'], runs: ['run of gone'] })
    expect(rows).toMatchObject({
      executions: 1,
      payloads: 1,
      journal: 1,
      agent_runs: 1,
      search_documents: 2,
      events: 1,
    })
    expect(await names(['gone', 'kept'])).toEqual(['kept'])
    expect((await store.agentRuns.list({}, { limit: 9, offset: 0 })).map(({ id }) => id)).toEqual([
      'run of kept',
    ])
    const hits = await store.search.find({ terms: [], facets: {} }, { limit: 9 })
    expect(hits.map(({ id }) => id).toSorted()).toEqual(['kept', 'run of kept'])
    expect(await store.events.get('e1')).toBeUndefined()
    expect(await store.events.get('e2')).toBeDefined()
    expect(await store.executions.newestMilestone()).toBe(newest)
    await store.erasure.purge()
    expect(await store.erasure.delete({ executions: ['gone'], runs: ['run of gone'] })).toEqual({})
  })

  describe('the execution of an answer', () => {
    const topic = { name: 'paid', key: null }
    beforeEach(async () => {
      for (const id of ['taken', 'shared'])
        await store.events.insert(
          { ...topic, id, data: '{"card":1}', at: 1000, sender: null, misfits: null },
          [],
        )
      await put({ id: 'other' })
      for (const id of ['answer', 'other']) {
        const take = id === 'answer' ? ['taken', 'shared'] : ['shared']
        if (id === 'answer') {
          await run({ id, userId: 'ann' })
          await put({ id, kind: 'answer', workflowId: 'agent:helper', userId: 'ann', owner: '"ann"' })
        }
        const add = [{ ...topic, path: 'answer/tool-1/paid', since: 2000 }]
        await store.executions.write([{ id, waits: { add, drop: [], take } }])
      }
      await store.agentRuns.finish('answer', COMPLETED)
    })
    const waiting = async () => (await store.events.waiting(topic)).map(({ executionId }) => executionId)

    it('is erased with the run, with the events that it alone took', async () => {
      expect(await waiting()).toEqual(['answer', 'other'])
      expect(await store.erasure.delete({ executions: [], runs: ['answer'] })).toMatchObject({
        agent_runs: 1,
        events: 1,
      })
      expect(await names(['answer', 'other'])).toEqual(['other'])
      expect((await store.events.newest(9, 9)).map(({ id, takenBy }) => [id, takenBy])).toEqual([
        ['shared', ['other']],
      ])
      // another one with its id would wait for what it does not know
      await put({ id: 'answer' })
      expect(await waiting()).toEqual(['other'])
    })

    it('is deleted with the run that retention does not cover, but the events stay', async () => {
      expect(await store.agentRuns.prune({ endedBefore: 3000, keep: 9 }, 9)).toBe(1)
      expect(await names(['answer', 'other'])).toEqual(['other'])
      expect((await store.events.newest(9, 9)).map(({ id, takenBy }) => [id, takenBy])).toEqual([
        ['shared', ['other']],
        ['taken', []],
      ])
      await put({ id: 'answer' })
      expect(await waiting()).toEqual(['other'])
    })
  })

  it('deletes the conversations, the working memory and the sent events of a user', async () => {
    await run({ id: 'r1', userId: 'ann', conversationId: 'talk' })
    await run({ id: 'r2', userId: 'bob', conversationId: 'talk' })
    const end = (userId: string) =>
      runningMessagesOf({ key: { userId, conversationId: 'talk' }, messages: ['{}'] })
    await store.agentRuns.finish('r1', COMPLETED, end('ann'))
    await store.agentRuns.finish('r2', COMPLETED, end('bob'))
    for (const userId of ['ann', 'bob'])
      await store.workingMemory.put(
        { agentId: 'helper', userId },
        { value: '{}', owner: null, revision: 0, at: 1000 },
      )
    for (const id of ['ann', 'bob'])
      await store.events.insert(
        {
          id,
          name: 'n',
          key: null,
          data: '1',
          at: 1,
          sender: JSON.stringify({ user: { id } }),
          misfits: null,
        },
        [{ key: `event:${id}`, job: { kind: 'event', id }, at: 0 }],
      )
    await put({ id: 'resumed', resumedUser: '{"id":"ann","email":"ann@example.com"}' })
    expect(await store.erasure.deleteUser('ann')).toEqual({
      messages: 1,
      conversations: 1,
      working_memory: 1,
      events: 1,
      'executions.resumed_user': 1,
    })
    expect((await store.conversations.list({}, { limit: 9, offset: 0 })).map(({ userId }) => userId)).toEqual(
      ['bob'],
    )
    expect(await store.workingMemory.get({ agentId: 'helper', userId: 'ann' })).toBeUndefined()
    expect(await store.workingMemory.get({ agentId: 'helper', userId: 'bob' })).toBeDefined()
    expect((await store.executions.get('resumed'))?.resumedUser).toBeNull()
    expect(await store.erasure.deleteUser('ann')).toEqual({})
  })

  it('deletes the log records of executions and traces', async () => {
    await store.logs.insert([
      logRow(1000, { executionId: 'e' }),
      logRow(1001, { traceId: 't' }),
      logRow(1002, { traceId: 'u', executionId: 'f' }),
      logRow(1003),
    ])
    expect(await store.logs.count()).toBe(4)
    expect(await store.logs.delete({ executionIds: ['e', 'x'], traceIds: ['t'] })).toBe(2)
    expect(await store.logs.count()).toBe(2)
    expect((await store.logs.list({}, { limit: 9 })).map(({ timestamp }) => timestamp)).toEqual([1003, 1002])
  })

  it('deletes traces, and keeps those that have spans of others, without the content of the erased ones', async () => {
    const span = (at: number, attributes: object, parentSpanId?: string) =>
      spanOf(at, 0, JSON.stringify({ name: 's', parentSpanId, attributes, events: [{ name: 'exception' }] }))
    const of = (id: string) => ({
      'agentserver.execution.id': id,
      'agentserver.execution.input': `input ${id}`,
    })
    const step = { 'agentserver.step.id': 'pay', 'agentserver.step.output': 'secret' }
    const [mine, others] = [span(T0, of('a')), span(T0 + 1, of('b'))]
    await store.traces.write([
      traceChange('alone', { subjects: [['executionId', 'a']], spans: [spanOf(T0), spanOf(T0 + 1)] }),
      traceChange('shared', {
        subjects: [
          ['executionId', 'b'],
          ['executionId', 'a'],
          ['userId', 'ann'],
        ],
        spans: [mine, others, span(T0 + 5000, step, mine.spanId), span(T0 + 6000, step, others.spanId)],
      }),
      traceChange('not named', { subjects: [['executionId', 'a']] }),
    ])
    const named = [traceId('alone'), traceId('shared'), traceId('unknown')]
    const erased = { executionIds: ['a'] }
    expect(await store.traces.delete(named, erased)).toEqual({ spans: 2, shared: [traceId('shared')] })
    await store.traces.eraseContent([traceId('shared')], erased)
    expect(await store.traces.get(traceId('alone'))).toBeUndefined()
    const spans = await store.traces.spans(traceId('shared'), { limit: 9 })
    expect(spans.map(({ data }) => JSON.parse(data))).toEqual([
      { name: 's', attributes: { 'agentserver.execution.id': 'a' } },
      { name: 's', attributes: of('b'), events: [{ name: 'exception' }] },
      { name: 's', parentSpanId: mine.spanId, attributes: { 'agentserver.step.id': 'pay' } },
      { name: 's', parentSpanId: others.spanId, attributes: step, events: [{ name: 'exception' }] },
    ])
    const found = await store.traces.list({ executionId: 'a' }, { limit: 9 })
    expect(found.map((trace) => trace.traceId)).toEqual([traceId('not named')])
    expect((await store.traces.totals()).traces).toBe(2)
  })

  it('deletes a trace for a user only if it has no other user', async () => {
    const users = (...ids: string[]) => ids.map((id) => ['userId', id] as const)
    await store.traces.write([
      traceChange('one', { subjects: users('ann') }),
      traceChange('two', { subjects: users('ann', 'bob') }),
    ])
    const erased = { executionIds: [], userId: 'ann' }
    const { shared } = await store.traces.delete([traceId('one'), traceId('two')], erased)
    expect(shared).toEqual([traceId('two')])
    await store.traces.eraseContent(shared, erased)
    expect(await store.traces.list({ userId: 'ann' }, { limit: 9 })).toEqual([])
    expect(await store.traces.list({ userId: 'bob' }, { limit: 9 })).toHaveLength(1)
  })
}
