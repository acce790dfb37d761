import { describe, expect, test } from 'vitest'
import { abortable, abortableItems } from '../../../../src/lib/async/abortable.ts'

const never = new Promise<never>(() => undefined)
const reason = new Error('left')

describe('what can be aborted', () => {
  test('gives what it waits for', async () => {
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1)
    await expect(abortable(Promise.reject(reason), new AbortController().signal)).rejects.toBe(reason)
  })

  test('ends with the reason of the abort, before or meanwhile', async () => {
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason)
    const leaving = new AbortController()
    const waiting = abortable(never, leaving.signal)
    leaving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('gives items until the abort, though the source hangs, and lets the source clean up', async () => {
    const leaving = new AbortController()
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
      for await (const item of abortableItems(source(), leaving.signal))
        if (seen.push(item) === 2) leaving.abort(reason)
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
