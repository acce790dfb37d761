import { expect, it } from 'vitest'
import type { StoreUnderTest } from './store-suite.ts'

const ann = { agentId: 'clerk', userId: 'ann' }

/** Tests of working memory. */
export function workingMemoryTests(store: StoreUnderTest): void {
  const put = (
    value: string,
    revision: number,
    more: { owner?: string; at?: number; userId?: string | null } = {},
  ) => {
    const { owner = null, at = 1, userId = 'ann' } = more
    return store.workingMemory.put({ agentId: 'clerk', userId }, { value, owner, revision, at })
  }

  it('is kept for each agent and user', async () => {
    expect(await store.workingMemory.get(ann)).toBeUndefined()
    expect(await put('{"a":1}', 0, { owner: '"ann"', at: 5 })).toBe(true)
    expect(await put('{"n":1}', 0, { userId: null })).toBe(true)
    expect(await store.workingMemory.get(ann)).toEqual({
      value: '{"a":1}',
      owner: '"ann"',
      revision: 1,
      usedAt: 5,
    })
    expect(await store.workingMemory.get({ ...ann, userId: null })).toMatchObject({ value: '{"n":1}' })
    expect(await store.workingMemory.get({ ...ann, agentId: 'other' })).toBeUndefined()
    expect(await store.workingMemory.get({ ...ann, userId: 'bob' })).toBeUndefined()
  })

  it('is changed only by who has read the last change', async () => {
    expect(await put('{"a":1}', 3)).toBe(false)
    expect(await store.workingMemory.get(ann)).toBeUndefined()
    expect(await put('{"a":1}', 0)).toBe(true)
    expect(await put('{"a":2}', 0)).toBe(false)
    expect(await put('{"a":2}', 1, { owner: '"ann"' })).toBe(true)
    expect(await put('{"a":3}', 1)).toBe(false)
    expect(await store.workingMemory.get(ann)).toMatchObject({
      value: '{"a":2}',
      revision: 2,
      owner: '"ann"',
    })
    expect(await put('{"a":4}', 2)).toBe(true)
    expect(await store.workingMemory.get(ann)).toMatchObject({ owner: '"ann"' })
  })

  it('is deleted on request', async () => {
    expect(await store.workingMemory.delete(ann)).toBe(false)
    await put('{}', 0)
    expect(await store.workingMemory.delete(ann)).toBe(true)
    expect(await store.workingMemory.get(ann)).toBeUndefined()
    expect(await put('{"again":1}', 0)).toBe(true)
  })

  it('is deleted when it was not used for too long, or there is too much', async () => {
    for (const [at, userId] of ['a', 'b', 'c', 'd'].entries()) await put('{}', 0, { userId, at })
    await store.workingMemory.touch({ agentId: 'clerk', userId: 'a' }, 9)
    await store.workingMemory.touch({ agentId: 'clerk', userId: 'd' }, 1)
    expect(await store.workingMemory.prune({ endedBefore: 2, keep: 100 }, 10)).toBe(1)
    expect(await store.workingMemory.get({ agentId: 'clerk', userId: 'b' })).toBeUndefined()
    expect(await store.workingMemory.prune({ endedBefore: 0, keep: 1 }, 1)).toBe(1)
    expect(await store.workingMemory.prune({ endedBefore: 0, keep: 1 }, 10)).toBe(1)
    expect(await store.workingMemory.get({ agentId: 'clerk', userId: 'a' })).toMatchObject({ usedAt: 9 })
  })
}
