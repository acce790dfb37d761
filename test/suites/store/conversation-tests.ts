import { expect, it } from 'vitest'
import { MAX_MESSAGES } from '../../../src/store/agents/conversation-store.ts'
import type { ConversationKey } from '../../../src/store/agents/conversation-store.ts'
import { COMPLETED, agentRunRow, runningMessagesOf } from './agent-run-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const ann = { userId: 'ann', conversationId: 'talk' }

/** Tests of conversations. */
export function conversationTests(store: StoreUnderTest): void {
  let runs = 0
  const add = async (
    key: ConversationKey,
    messages: readonly string[],
    more: { replace?: boolean; at?: number; owner?: string } = {},
  ) => {
    const id = `r${++runs}`
    await store.agentRuns.insert(agentRunRow({ id, ownerEpoch: store.ownerEpoch }))
    const { replace = false, at = 1, owner = null } = more
    const runningMessages = runningMessagesOf({ key, owner, messages, replace })
    await store.agentRuns.finish(id, { ...COMPLETED, endedAt: at }, runningMessages)
  }
  const read = (key: ConversationKey, limit = 100) => store.conversations.messages(key, limit)

  it('keep their messages in order, and return the newest', async () => {
    expect(await read(ann)).toEqual([])
    await add(ann, ['1', '2'])
    await add(ann, ['3', '4'])
    expect(await read(ann)).toEqual(['1', '2', '3', '4'])
    expect(await read(ann, 3)).toEqual(['2', '3', '4'])
    expect(await read(ann, 0)).toEqual([])
  })

  it('can begin without messages, once', async () => {
    const created = { owner: '"ann"', title: 'Plans', createdAt: 5, agentIds: ['clerk'] }
    expect(await store.conversations.create(ann, created)).toBe(true)
    expect(await store.conversations.create(ann, { ...created, title: 'Other' })).toBe(false)
    expect(await store.conversations.get(ann)).toEqual({ ...ann, ...created, updatedAt: 5, messageCount: 0 })
    await add(ann, ['1'], { at: 9 })
    expect(await store.conversations.get(ann)).toMatchObject({ title: 'Plans', updatedAt: 9, owner: '"ann"' })
    const other = { ...ann, userId: 'bob' }
    expect(await store.conversations.create(other, { ...created, title: null, agentIds: [] })).toBe(true)
    expect(await store.conversations.count({ conversationId: 'talk' })).toBe(2)
    expect(await store.conversations.count({ conversationId: 'other' })).toBe(0)
  })

  it('belong to the authenticated user who is the first to extend them', async () => {
    expect(await store.conversations.owner(ann)).toBeNull()
    await add(ann, ['1'])
    expect(await store.conversations.owner(ann)).toBeNull()
    await add(ann, ['2'], { owner: '"ann"' })
    await add(ann, ['3'])
    expect(await store.conversations.owner(ann)).toBe('"ann"')
    expect(await store.conversations.owner({ ...ann, userId: 'bob' })).toBeNull()
  })

  it('belong to a user: equal ids of other users, or without a user, are separate', async () => {
    const keys = [
      ann,
      { ...ann, userId: 'bob' },
      { ...ann, userId: null },
      { ...ann, userId: 'null' },
      { ...ann, userId: '' },
    ]
    for (const [index, key] of keys.entries()) await add(key, [String(index)])
    for (const [index, key] of keys.entries()) expect(await read(key)).toEqual([String(index)])
  })

  it('can be replaced', async () => {
    await add(ann, ['1', '2'])
    await add(ann, ['3'], { replace: true })
    expect(await read(ann)).toEqual(['3'])
    await add(ann, ['4'])
    expect(await read(ann)).toEqual(['3', '4'])
  })

  it('keep the newest messages up to a limit', async () => {
    await add(
      ann,
      Array.from({ length: MAX_MESSAGES }, (_, n) => String(n)),
    )
    await add(ann, ['new'])
    const messages = await read(ann, MAX_MESSAGES + 10)
    expect(messages).toHaveLength(MAX_MESSAGES)
    expect([messages[0], messages.at(-1)]).toEqual(['1', 'new'])
  })

  it('are deleted when their last message is too old, or they are too many', async () => {
    const key = (conversationId: string) => ({ userId: 'ann', conversationId })
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await add(key(id), [id], { at })
    await add(key('a'), ['again'], { at: 9 })
    expect(await store.conversations.prune({ endedBefore: 2, keep: 100 }, 10)).toBe(1)
    expect(await read(key('b'))).toEqual([])
    expect(await store.conversations.prune({ endedBefore: 0, keep: 1 }, 1)).toBe(1)
    expect(await store.conversations.prune({ endedBefore: 0, keep: 1 }, 10)).toBe(1)
    expect(await read(key('a'))).toEqual(['a', 'again'])
    expect(await read(key('d'))).toEqual([])
  })
}
