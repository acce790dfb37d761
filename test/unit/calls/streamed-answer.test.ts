import { describe, expect, it } from 'vitest'
import { StreamedAnswer } from '../../../src/calls/streamed-answer.ts'

/** An answer whose parts are numbers, and what was read of it and asked of it. */
function answerOf(count: number, fails?: Error) {
  const seen = { read: 0, ended: false }
  let left: AbortSignal | undefined
  async function* parts() {
    try {
      for (; seen.read < count; seen.read++) yield seen.read
      if (fails) throw fails
    } finally {
      seen.ended = true
    }
  }
  const answer = new StreamedAnswer<number, string>(async (signal) => {
    left = signal
    return { parts: parts(), answer: async () => `${count} parts` }
  })
  return { answer, seen, hasLeft: () => left?.aborted }
}

async function all(parts: AsyncIterable<number>): Promise<number[]> {
  const read: number[] = []
  for await (const part of parts) read.push(part)
  return read
}

describe('a streamed answer', () => {
  it('is read no faster than its reader', async () => {
    const { answer, seen } = answerOf(5)
    const reader = answer[Symbol.asyncIterator]()
    expect((await reader.next()).value).toBe(0)
    expect(seen.read).toBe(0)
    expect((await reader.next()).value).toBe(1)
    expect(seen.read).toBe(1)
  })

  it('gives all parts to each reader, at the same time and one after the other', async () => {
    const { answer, hasLeft } = answerOf(3)
    const [first, second, result] = await Promise.all([all(answer), all(answer), answer.result])
    expect([first, second, await all(answer)]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [0, 1, 2],
    ])
    expect([result, hasLeft()]).toEqual(['3 parts', false])
  })

  it('ends when its only reader leaves, and goes on for another one', async () => {
    const alone = answerOf(3)
    for await (const part of alone.answer) if (part === 1) break
    expect(alone.hasLeft()).toBe(true)
    const wanted = answerOf(3)
    const { result } = wanted.answer
    for await (const part of wanted.answer) if (part === 1) break
    expect([await result, wanted.hasLeft()]).toEqual(['3 parts', false])
  })

  it('rejects the readers and the result with the error of its parts', async () => {
    const { answer } = answerOf(1, new Error('broken'))
    await expect(all(answer)).rejects.toThrow('broken')
  })

  it('of a call that can not be made rejects whoever reads it, and nobody else', async () => {
    const refused = () => new StreamedAnswer<number, string>(() => Promise.reject(new Error('no server')))
    // an unhandled rejection would fail the test run
    refused()
    await expect(all(refused())).rejects.toThrow('no server')
    await expect(refused().result).rejects.toThrow('no server')
  })
})
