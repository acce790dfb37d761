import { pino } from 'pino'
import { expect, it } from 'vitest'
import { ClockCheck } from '../../../src/lib/clock-check.ts'
import { pruneTelemetry } from '../../../src/observability/prune-telemetry.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'

const logger = pino({ enabled: false })
const DAY_MS = 86_400_000

it('deletes traces beyond the current retention from a real store', async () => {
  const store = openSqliteStore({ file: ':memory:' })
  const now = 20_000 * DAY_MS
  const change = (number: number, startedAt: number) => ({
    traceId: number.toString(16).padStart(32, '0'),
    startedAt,
    endedAt: startedAt + 1,
    name: 'one',
    kind: 'server' as const,
    status: 'ok' as const,
    entity: undefined,
    usage: undefined,
    subjects: [],
    spans: [{ spanId: startedAt.toString(16).padStart(12, '0') + '0001', isNew: true, data: '[]' }],
  })
  await store.traces.write(Array.from({ length: 250 }, (_, day) => change(day + 1, now - day * DAY_MS)))
  const keep = (rule: { days: number; count: number }) =>
    pruneTelemetry({
      store,
      clock: { now: () => now },
      clockCheck: new ClockCheck({ clock: { now: () => now }, newestRecordAt: () => now, logger }),
      logger,
      rule: () => rule,
    })
  const left = async () => (await store.traces.totals()).spans
  const stop = keep({ days: 99.5, count: 1000 })
  await expect.poll(left).toBe(100)
  stop()
  const stopNext = keep({ days: 1000, count: 7 })
  await expect.poll(left).toBe(7)
  stopNext()
  const [oldest] = (await store.traces.list({}, { limit: 10 })).toReversed()
  expect(oldest?.startedAt).toBe(now - 6 * DAY_MS)
  await store.close()
})
