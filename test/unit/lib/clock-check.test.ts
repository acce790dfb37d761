import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ClockCheck } from '../../../src/lib/clock-check.ts'

const DAY = 86_400_000
const NOW = 20_000 * DAY

/** A check whose clock and uptime the test moves. */
function check(newestRecordAt: number | undefined) {
  const lines: string[] = []
  const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
  let [now, uptime] = [NOW, 5]
  const clockCheck = new ClockCheck({
    clock: { now: () => now },
    newestRecordAt: () => newestRecordAt,
    logger,
    uptime: () => uptime,
  })
  return {
    trusted: () => clockCheck.isTrusted,
    jump: (ms: number) => (now += ms),
    pass: (ms: number) => {
      now += ms
      uptime += ms
    },
    lines,
  }
}

test('a clock up to a day ahead of the newest record is trusted, however long the process runs', () => {
  for (const newest of [undefined, NOW - DAY, NOW, NOW + 5 * DAY]) {
    const { trusted, pass, lines } = check(newest)
    expect(trusted()).toBe(true)
    pass(400 * DAY)
    expect(trusted()).toBe(true)
    expect(lines).toEqual([])
  }
})

test('a clock over a day ahead of the newest record is not trusted until it was steady for a day', () => {
  const { trusted, pass, lines } = check(NOW - DAY - 1)
  expect(trusted()).toBe(false)
  pass(DAY - 1)
  expect(trusted()).toBe(false)
  expect(lines).toEqual([
    'The clock shows 2024-10-04T00:00:00.000Z, over a day after the newest record (2024-10-02T23:59:59.999Z): nothing is deleted by age until it has been steady for a day',
  ])
  pass(1)
  expect(trusted()).toBe(true)
})

test('a clock that jumps ahead while the process runs is not trusted', () => {
  const { trusted, jump, pass } = check(NOW)
  pass(3 * DAY)
  expect(trusted()).toBe(true)
  jump(2 * DAY)
  expect(trusted()).toBe(false)
  pass(DAY / 2)
  jump(2 * DAY)
  expect(trusted()).toBe(false)
  pass(DAY / 2)
  expect(trusted()).toBe(false)
  pass(DAY / 2)
  expect(trusted()).toBe(true)
})

test('a correction back to the real time is no jump ahead, and the next jump is noticed', () => {
  const { trusted, jump, pass } = check(NOW)
  jump(-100 * DAY)
  expect(trusted()).toBe(true)
  pass(DAY)
  jump(2 * DAY)
  expect(trusted()).toBe(false)
})
