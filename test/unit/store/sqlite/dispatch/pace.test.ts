import { expect, test } from 'vitest'
import { Pace } from '../../../../../src/store/sqlite/dispatch/pace.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Work that keeps the event loop busy. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a backlog has a smaller share of turns that take long, down to the minimum', async () => {
  const pace = new Pace({ turnMs: 5, least: 2, most: 100 })
  for (let count = 0; count < 10; count++) {
    pace.begin()
    work(8)
    await turn()
  }
  expect(pace.share).toBe(2)
})

test('a backlog has a growing share of an idle process, up to the maximum', async () => {
  const pace = new Pace({ turnMs: 1000, least: 2, most: 20 })
  for (let count = 0; count < 50; count++) {
    pace.begin()
    await turn()
  }
  expect(pace.share).toBe(20)
})
