import { describe, expect, it } from 'vitest'
import { CommitQueue } from '../../../../src/engine/record/commit-queue.ts'
import type { CommitSource } from '../../../../src/engine/record/commit-queue.ts'
import type { ExecutionStore, ExecutionWrite } from '../../../../src/store/execution-store.ts'

/** A source that numbers its drains, and keeps the replies. */
class NumberedSource implements CommitSource {
  readonly replies: string[] = []
  readonly #id: string
  #drains = 0

  constructor(id: string) {
    this.#id = id
  }

  drain(): ExecutionWrite {
    return { id: `${this.#id}${++this.#drains}` }
  }

  onCommitted(applied: boolean): void {
    this.replies.push(applied ? 'stored' : 'refused')
  }

  onFailed(cause: unknown): void {
    this.replies.push((cause as Error).message)
  }
}

/** A queue on a store whose writes the test answers. */
function queueOn(reply: (ids: readonly string[]) => boolean[] | Promise<boolean[]>) {
  const writes: string[][] = []
  const store = {
    write: async (batch: readonly ExecutionWrite[]) => {
      const ids = batch.map(({ id }) => id)
      writes.push(ids)
      return reply(ids)
    },
  } as unknown as ExecutionStore
  return { queue: new CommitQueue(store), writes }
}

const stored = (ids: readonly string[]) => ids.map(() => true)

describe('CommitQueue', () => {
  it('stores the changes of one turn of the event loop in one transaction', async () => {
    const { queue, writes } = queueOn(stored)
    const [a, b] = [new NumberedSource('a'), new NumberedSource('b')]
    queue.add(a)
    queue.add(b)
    queue.add(a)
    await queue.idle()
    expect(writes).toEqual([['a1', 'b1']])
    expect([a.replies, b.replies]).toEqual([['stored'], ['stored']])
  })

  it('stores changes that are added during a commit with the next one', async () => {
    const a = new NumberedSource('a')
    const { queue, writes } = queueOn((ids) => {
      if (writes.length === 1) queue.add(a)
      return stored(ids)
    })
    queue.add(a)
    await queue.idle()
    expect(writes).toEqual([['a1'], ['a2']])
  })

  it('fails only the source whose write makes a batch fail', async () => {
    const { queue } = queueOn((ids) => {
      if (ids.includes('bad1')) throw new Error('disk is full')
      return stored(ids)
    })
    const [good, bad] = [new NumberedSource('good'), new NumberedSource('bad')]
    queue.add(good)
    queue.add(bad)
    await queue.idle()
    expect([good.replies, bad.replies]).toEqual([['stored'], ['disk is full']])
  })

  it.each([
    ['a failed', () => Promise.reject(new Error('disk is full'))],
    ['a refused', () => [false]],
  ])('does not store changes that build on %s write', async (_, reply) => {
    const a = new NumberedSource('a')
    const { queue, writes } = queueOn(() => {
      queue.add(a)
      return reply()
    })
    queue.add(a)
    await queue.idle()
    expect(writes).toEqual([['a1']])
    expect(a.replies).toHaveLength(1)
  })

  it('stores other changes of a source after a failed write', async () => {
    const a = new NumberedSource('a')
    const { queue, writes } = queueOn((ids) => {
      if (writes.length === 1) throw new Error('disk is full')
      return stored(ids)
    })
    queue.add(a)
    await queue.idle()
    queue.add(a)
    await queue.idle()
    expect(writes).toEqual([['a1'], ['a2']])
    expect(a.replies).toEqual(['disk is full', 'stored'])
  })
})
