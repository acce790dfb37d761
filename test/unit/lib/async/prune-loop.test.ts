import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startPruneLoop } from '../../../../src/lib/async/prune-loop.ts'
import type { PruneOptions } from '../../../../src/lib/async/prune-loop.ts'

function start(options: Partial<PruneOptions>) {
  const lines: { msg: string; err?: { message: string } }[] = []
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const stop = startPruneLoop({
    rule: () => ({ days: 1, count: 10 }),
    clock: { now: () => 86_400_001 },
    clockCheck: { isTrusted: true },
    health: { problem: undefined },
    logger,
    prunes: {},
    everyMs: 60_000,
    ...options,
  })
  return { stop, lines }
}

/** A kind of record with a number of expired ones, and the arguments with which they were deleted. */
function expired(count: number) {
  let left = count
  const cutoffs: unknown[] = []
  const prune = async (cutoff: object, limit: number) => {
    cutoffs.push(cutoff)
    const deleted = Math.min(limit, left)
    left -= deleted
    return deleted
  }
  return { prune, cutoffs, left: () => left }
}

test('deletes in small transactions until nothing is expired, and logs how many of each kind', async () => {
  const [logs, spans, none] = [expired(250), expired(120), expired(0)]
  const { stop, lines } = start({ prunes: { logs: logs.prune, spans: spans.prune, others: none.prune } })
  await expect.poll(() => [logs.left(), spans.left()]).toEqual([0, 0])
  await expect
    .poll(() => lines.map(({ msg }) => msg))
    .toEqual(['Retention deleted 250 logs, 120 spans: older than 1 days, or more than 10'])
  expect(logs.cutoffs).toEqual(Array.from({ length: 4 }, () => ({ before: 1, keep: 10 })))
  stop()
})

test('can be stopped when there is no rule any more, with the rule that the deletions had', async () => {
  let deleted = 0
  let isStopping = false
  const rule = () => {
    if (isStopping) throw new Error('The server is shutting down')
    return { days: 1, count: 10 }
  }
  const { stop, lines } = start({ rule, prunes: { logs: async () => ++deleted % 2 }, everyMs: 1 })
  await expect.poll(() => deleted).toBeGreaterThan(10)
  isStopping = true
  stop()
  expect(lines.at(-1)?.msg).toMatch(/^Retention deleted \d+ logs: older than 1 days, or more than 10$/)
})

test('logs further deletions summed up', async () => {
  let deleted = 0
  const prune = async () => {
    deleted++
    return deleted % 2
  }
  const { stop, lines } = start({ prunes: { logs: prune }, everyMs: 1 })
  await expect.poll(() => deleted).toBeGreaterThan(10)
  expect(lines).toHaveLength(1)
  stop()
  expect(lines).toHaveLength(2)
  const counts = lines.map(({ msg }) => Number(/deleted (\d+) logs/.exec(msg)?.[1]))
  expect(counts[0]).toBe(1)
  expect(counts[1]).toBeGreaterThan(3)
})

test('deletes nothing by age while the clock is not trusted, and still what is too much', async () => {
  const { prune, cutoffs } = expired(0)
  const { stop } = start({ prunes: { logs: prune }, clockCheck: { isTrusted: false } })
  await expect.poll(() => cutoffs).toEqual([{ before: 0, keep: 10 }])
  stop()
})

test('logs a failure, and tries again after the interval', async () => {
  let tries = 0
  const prune = async () => {
    tries++
    throw new Error('busy')
  }
  const { stop, lines } = start({ prunes: { logs: prune, spans: prune }, everyMs: 10 })
  await expect.poll(() => tries).toBeGreaterThan(2)
  stop()
  expect(lines.length).toBeGreaterThanOrEqual(2)
  expect(lines[0]).toMatchObject({ msg: 'Failed to delete old logs, spans', err: { message: 'busy' } })
})

test('neither deletes nor logs while the database has a problem', async () => {
  let problem: Error | undefined
  let looks = 0
  let tries = 0
  const health = {
    get problem() {
      looks++
      return problem
    },
  }
  const prune = async () => {
    tries++
    problem = new Error('away')
    throw problem
  }
  const { stop, lines } = start({ prunes: { logs: prune }, everyMs: 1, health })
  await expect.poll(() => looks).toBeGreaterThan(10)
  expect([tries, lines]).toEqual([1, []])
  problem = undefined
  await expect.poll(() => tries).toBe(2)
  stop()
})
