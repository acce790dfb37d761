import { describe, expect, test } from 'vitest'
import { abortable, abortableItems } from '../../../../src/lib/async/abortable.ts'

const never = new Promise<never>(() => undefined)
const reason = new Error('disconnected')

describe('abortable work', () => {
  test('settles like the promise', async () => {
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1)
    await expect(abortable(Promise.reject(reason), new AbortController().signal)).rejects.toBe(reason)
  })

  test('rejects with the reason when the signal aborts before or during the wait', async () => {
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = abortable(never, controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('yields items until the abort, also from a source that hangs, and closes the source', async () => {
    const controller = new AbortController()
    let cleaned = false
    const source = async function* () {
      try {
        yield 1
        yield 2
        await never
      } finally {
        cleaned = true
      }
    }
    const seen: number[] = []
    const read = async () => {
      for await (const item of abortableItems(source(), controller.signal))
        if (seen.push(item) === 2) controller.abort(reason)
    }
    await expect(read()).rejects.toBe(reason)
    expect(seen).toEqual([1, 2])
    for await (const item of abortableItems(source(), new AbortController().signal)) {
      expect(item).toBe(1)
      break
    }
    expect(cleaned).toBe(true)
  })
})
