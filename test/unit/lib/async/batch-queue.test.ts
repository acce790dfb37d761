import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BatchQueue } from '../../../../src/lib/async/batch-queue.ts'
import type { BatchQueueOptions } from '../../../../src/lib/async/batch-queue.ts'

describe('BatchQueue', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const open = (options: Partial<BatchQueueOptions<number>> = {}) => {
    const written: number[][] = []
    const lost: { count: number; cause: unknown }[] = []
    const queue = new BatchQueue<number>({
      limit: 100,
      batch: 3,
      everyMs: 50,
      write: (items) => void written.push([...items]),
      onLost: (count, cause) => void lost.push({ count, cause }),
      ...options,
    })
    const add = (...items: number[]) => {
      for (const item of items) queue.add(item)
    }
    return { queue, add, written, lost }
  }

  it('works outside of the async context of its callers', async () => {
    const callers = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const record = () => void seen.push(callers.getStore())
    const { add } = open({ limit: 4, write: record, onLost: record })
    callers.run('a caller', () => add(1))
    await vi.advanceTimersByTimeAsync(60)
    callers.run('a caller', () => add(1, 2, 3, 4, 5, 6))
    await vi.advanceTimersByTimeAsync(60)
    expect(seen.length).toBeGreaterThan(2)
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })

  it('writes full batches in order, in a later turn of the event loop', async () => {
    const { add, written } = open()
    add(1, 2, 3, 4, 5, 6)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
  })

  it('writes an incomplete batch after a delay', async () => {
    const { queue, add, written } = open()
    add(1)
    await vi.advanceTimersByTimeAsync(49)
    expect(written).toEqual([])
    expect(queue.size).toBe(1)
    await vi.advanceTimersByTimeAsync(2)
    expect(written).toEqual([[1]])
    expect(queue.size).toBe(0)
  })

  it('drops items beyond the limit, and reports them immediately and then every ten seconds', async () => {
    const { queue, add, written, lost } = open({ limit: 4 })
    add(1, 2, 3, 4, 5, 6)
    expect(queue.lost).toBe(2)
    expect(lost).toEqual([{ count: 1, cause: undefined }])
    await vi.advanceTimersByTimeAsync(10_001)
    expect(lost.slice(1)).toEqual([{ count: 1, cause: undefined }])
    expect(written.flat()).toEqual([1, 2, 3, 4])
  })

  it('counts items by weight', async () => {
    const { queue, add, written } = open({ limit: 10, batch: 5, weigh: (item) => item })
    add(2, 2, 2, 3, 1)
    expect(queue.size).toBe(10)
    add(7)
    expect(queue.lost).toBe(7)
    await vi.advanceTimersByTimeAsync(100)
    expect(written).toEqual([
      [2, 2, 2],
      [3, 1],
    ])
    expect(queue.size).toBe(0)
  })

  it('continues after a failed write, whose items are lost', async () => {
    const cause = new Error('disk full')
    const written: number[] = []
    const { queue, add, lost } = open({
      write: (items) => {
        if (items.includes(1)) throw cause
        written.push(...items)
      },
    })
    add(1, 2, 3, 4)
    await vi.advanceTimersByTimeAsync(100)
    expect(written).toEqual([4])
    expect(queue.lost).toBe(3)
    expect(lost).toEqual([{ count: 3, cause }])
  })

  it('accepts items while a write is pending, and never writes concurrently', async () => {
    const ends: (() => void)[] = []
    const { queue, add } = open({ write: () => new Promise<void>((resolve) => ends.push(resolve)) })
    add(1, 2, 3, 4, 5, 6)
    await vi.advanceTimersByTimeAsync(1000)
    expect(ends).toHaveLength(1)
    add(7)
    expect(queue.size).toBe(4)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(1000)
    expect(ends).toHaveLength(2)
  })

  it('writes all items and reports all losses when it is closed', async () => {
    const { queue, add, written, lost } = open({ limit: 5 })
    add(1, 2, 3, 4, 5, 6, 7)
    const closed = queue.close()
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(written).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
    expect(lost.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  })
})
