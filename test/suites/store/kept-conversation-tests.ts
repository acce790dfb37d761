import { expect, it } from 'vitest'
import type { ConversationKey, RunningMessages } from '../../../src/store/agents/conversation-store.ts'
import { COMPLETED, agentRunRow, runningMessagesOf } from './agent-run-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ann = { userId: 'ann', conversationId: 'talk' }
const ALL = { limit: 100, offset: 0 }

/** Tests of lists of conversations, pages of messages, summaries and deletion. */
export function keptConversationTests(store: StoreUnderTest): void {
  let runs = 0
  const begin = async (key: ConversationKey) => {
    const id = `r${++runs}`
    await store.agentRuns.insert(
      agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...key, traceId: `trace-${id}` }),
    )
    return id
  }
  const answer = async (key: ConversationKey, parts: Partial<RunningMessages> & { at?: number } = {}) => {
    const { at = 5, ...rest } = parts
    const id = await begin(key)
    const runningMessages = runningMessagesOf({ key, messages: ['"q"', '"a"'], ...rest })
    await store.agentRuns.finish(id, { ...COMPLETED, endedAt: at }, runningMessages)
    return id
  }
  const listed = async (filter: Parameters<typeof store.conversations.list>[0]) =>
    (await store.conversations.list(filter, ALL)).map(({ conversationId }) => conversationId)

  it('are summarised by one process at a time, and by another when that has died', async () => {
    await answer(ann, { messages: ['"q"', '"a"'] })
    const claim = (now: number, from = 0) =>
      store.conversations.claimSummary(ann, { from, now, until: now + 100 })
    expect((await Promise.all([claim(1), claim(2), claim(3)])).filter(Boolean)).toHaveLength(1)
    expect(await claim(50)).toBe(false)
    expect(await claim(200)).toBe(true)
    expect(await store.conversations.summarise(ann, { summary: '{}', from: 0, upTo: 1 })).toBe(true)
    // of messages that have been summarised there is nothing to make
    expect(await claim(201)).toBe(false)
    expect(await claim(201, 1)).toBe(true)
  })

  it('exist from the start of their first run, and have its messages until it ends', async () => {
    const start = async (id: string, parts: Partial<RunningMessages> = {}) => {
      const row = agentRunRow({ id, ownerEpoch: store.ownerEpoch, ...ann, startedAt: 3 })
      const runningMessages = runningMessagesOf({
        key: ann,
        title: 'Where',
        owner: '"ann"',
        startedAt: 3,
        messages: ['"q"'],
        ...parts,
      })
      await store.agentRuns.insert(row, '{"waiting":1}', runningMessages)
      return runningMessages
    }
    const runningMessages = await start('first')
    const begun = { title: 'Where', owner: '"ann"', createdAt: 3, messageCount: 1, agentIds: ['helper'] }
    expect(await store.conversations.get(ann)).toMatchObject(begun)
    expect(await store.conversations.owner(ann)).toBe('"ann"')
    const open = {
      runId: 'first',
      messages: ['"q"'],
      starts: [true],
      replace: false,
      continuation: '{"waiting":1}',
    }
    expect(await store.conversations.open(ann)).toEqual([open])
    expect(await store.conversations.rename(ann, 'New')).toBe(true)
    await store.agentRuns.finish('first', COMPLETED, {
      ...runningMessages,
      messages: ['"q"', '"a"'],
      starts: [true, true],
    })
    expect(await store.conversations.get(ann)).toMatchObject({ ...begun, title: 'New', messageCount: 2 })
    expect(await store.conversations.messages(ann, 9)).toEqual(['"q"', '"a"'])
    await start('second', { agentId: 'other', replace: true, messages: ['"q"', '"a"', '"r"'] })
    expect(await store.conversations.get(ann)).toMatchObject({
      messageCount: 3,
      agentIds: ['helper', 'other'],
    })
    await store.agentRuns.abort('second', 9)
    expect(await store.conversations.open(ann)).toEqual([])
    await start('third')
    expect((await store.conversations.delete(ann))?.runs).toMatchObject([{}, {}, { isOpen: true }])
    expect(await store.conversations.open(ann)).toEqual([])
    expect(await store.agentRuns.finish('third', COMPLETED, runningMessages)).toBe(false)
    expect(await store.conversations.get(ann)).toBeUndefined()
  })

  it('have the time and title of their first exchange, and the agents that have answered', async () => {
    expect(await store.conversations.get(ann)).toBeUndefined()
    await answer(ann, { title: 'First', startedAt: 3, at: 5, owner: '"ann"' })
    await answer(ann, { title: 'Second', startedAt: 7, at: 9, agentId: 'other' })
    await answer(ann, { at: 9, agentId: 'other' })
    expect(await store.conversations.get(ann)).toEqual({
      ...ann,
      owner: '"ann"',
      title: 'First',
      createdAt: 3,
      updatedAt: 9,
      messageCount: 6,
      agentIds: ['helper', 'other'],
    })
  })

  it('count an answer with its tool calls as one message, also after the oldest are replaced', async () => {
    const messages = ['"q"', '"call"', '"result"', '"a"']
    const starts = [true, true, false, false]
    await answer(ann, { messages, starts })
    await answer(ann, { messages, starts })
    expect(await store.conversations.get(ann)).toMatchObject({ messageCount: 4 })
    await answer(ann, { messages, starts, replace: true })
    expect(await store.conversations.get(ann)).toMatchObject({ messageCount: 2 })
  })

  it('are listed by their last message, with pages and filters', async () => {
    const key = (conversationId: string, userId: string | null = 'ann') => ({ userId, conversationId })
    await answer(key('one'), { at: 1, title: 'Übung for Ann', owner: '"ann"' })
    await answer(key('two'), { at: 2, title: '100% of Bob_s', agentId: 'b' })
    await answer(key('three'), { at: 3 })
    await answer(key('of nobody', null), { at: 4 })
    await answer(key('one'), { at: 5 })
    expect(await listed({})).toEqual(['one', 'of nobody', 'three', 'two'])
    expect(await listed({ userId: 'ann' })).toEqual(['one', 'three', 'two'])
    expect(await listed({ userId: 'ann', ownerless: true })).toEqual(['three', 'two'])
    expect(await listed({ userId: null })).toEqual(['of nobody'])
    expect(await listed({ agentId: 'b' })).toEqual(['two'])
    expect(await listed({ words: ['ANN', 'übung'] })).toEqual(['one'])
    expect(await listed({ words: ['abung'] })).toEqual([])
    expect(await listed({ words: ['0% o'] })).toEqual(['two'])
    expect(await listed({ words: ['b_b_s'] })).toEqual([])
    expect(await store.conversations.count({ userId: 'ann' })).toBe(3)
    const page = await store.conversations.list({ userId: 'ann' }, { limit: 1, offset: 1 })
    expect(page).toMatchObject([{ conversationId: 'three' }])
  })

  it('are read backwards in pages of whole messages', async () => {
    const starts = [true, true, false]
    for (const n of ['1', '2', '3'])
      await answer(ann, { messages: [`"q${n}"`, `"call${n}"`, `"a${n}"`], starts })
    const read = async (limit: number, before?: number) =>
      (await store.conversations.page(ann, { limit, before })).map(
        ({ message }) => JSON.parse(message) as string,
      )
    expect(await read(1)).toEqual(['call3', 'a3'])
    expect(await read(3)).toEqual(['call2', 'a2', 'q3', 'call3', 'a3'])
    const [first] = await store.conversations.page(ann, { limit: 3 })
    expect(first).toMatchObject({ starts: true })
    expect(await read(2, first?.seq)).toEqual(['call1', 'a1', 'q2'])
    expect(await read(100, first?.seq)).toEqual(['q1', 'call1', 'a1', 'q2'])
    expect(await read(2, 1)).toEqual([])
    expect(await store.conversations.page({ ...ann, userId: 'bob' }, { limit: 3 })).toEqual([])
  })

  it('have pages of a limited size, with one message at least', async () => {
    const large = JSON.stringify('x'.repeat(5_000_000))
    await answer(ann, { messages: ['"q1"', large] })
    await answer(ann, { messages: [large, large] })
    const page = await store.conversations.page(ann, { limit: 10 })
    expect(page).toHaveLength(1)
    expect(await store.conversations.page(ann, { limit: 10, before: (page[0]?.seq ?? 0) - 1 })).toHaveLength(
      2,
    )
  })

  it('can be renamed', async () => {
    expect(await store.conversations.rename(ann, 'New')).toBe(false)
    await answer(ann, { title: 'Old' })
    expect(await store.conversations.rename(ann, 'New')).toBe(true)
    await answer(ann, { title: 'Later' })
    expect(await store.conversations.get(ann)).toMatchObject({ title: 'New' })
  })

  it('keep one summary, which continues that of before', async () => {
    expect(await store.conversations.summary(ann)).toBeUndefined()
    await answer(ann)
    await answer(ann)
    const state = await store.conversations.summary(ann)
    expect(state).toMatchObject({ summary: null, summarised: 0 })
    const { first = 0, last = 0 } = state ?? {}
    expect(last - first).toBe(3)
    expect(await store.conversations.summarise(ann, { summary: 's1', from: 0, upTo: first + 1 })).toBe(true)
    // another machine was faster
    expect(await store.conversations.summarise(ann, { summary: 's2', from: 0, upTo: first + 1 })).toBe(false)
    expect(await store.conversations.summarise(ann, { summary: 's3', from: first + 1, upTo: last })).toBe(
      true,
    )
    expect(await store.conversations.summary(ann)).toEqual({ summary: 's3', summarised: last, first, last })
    expect(await store.conversations.range(ann, { after: first, upTo: first + 2 })).toMatchObject([
      { seq: first + 1, message: '"a"' },
      { seq: first + 2, message: '"q"' },
    ])
  })

  it('lose a summary of messages that were replaced, and keep one that is still valid', async () => {
    await answer(ann)
    await store.conversations.summarise(ann, { summary: 's', from: 0, upTo: 2 })
    const keptSummary = { summary: 's', count: 2 }
    await answer(ann, { messages: ['"q"', '"a"', '"q2"', '"a2"'], replace: true, keptSummary })
    const kept = await store.conversations.summary(ann)
    expect(kept).toMatchObject({ summary: 's', summarised: (kept?.first ?? 0) + 1 })
    await answer(ann, { replace: true, keptSummary: { summary: 'other', count: 2 } })
    expect(await store.conversations.summary(ann)).toMatchObject({ summary: null, summarised: 0 })
    const { last = 0 } = (await store.conversations.summary(ann)) ?? {}
    await answer(ann, { replace: true })
    // it was made of messages that are not there any more
    expect(await store.conversations.summarise(ann, { summary: 'late', from: 0, upTo: last })).toBe(false)
  })

  it('are deleted with their messages and runs', async () => {
    expect(await store.conversations.delete(ann)).toBeUndefined()
    const id = await answer(ann)
    const running = await begin(ann)
    const bob = await answer({ ...ann, userId: 'bob' })
    const deleted = await store.conversations.delete(ann)
    expect(deleted?.runs.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id, traceId: `trace-${id}`, isOpen: false },
      { id: running, traceId: `trace-${running}`, isOpen: true },
    ])
    expect(await store.conversations.get(ann)).toBeUndefined()
    expect(await store.conversations.messages(ann, 10)).toEqual([])
    expect(await store.agentRuns.list({}, ALL)).toMatchObject([{ id: bob }])
    const runningMessages = runningMessagesOf({ key: ann, messages: ['"late"'] })
    expect(await store.agentRuns.finish(running, COMPLETED, runningMessages)).toBe(false)
    expect(await store.conversations.get(ann)).toBeUndefined()
    expect(await store.conversations.delete(ann)).toBeUndefined()
  })
}
