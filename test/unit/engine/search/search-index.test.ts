import { pino } from 'pino'
import { expect, it } from 'vitest'
import { SearchIndex, indexingShare } from '../../../../src/engine/search/search-index.ts'
import { openStore } from '../../../../src/store/open.ts'
import { eventRow, insertion } from '../../../suites/store/execution-rows.ts'

it('an idle process spends half of the time on indexing, a busy one a hundredth', () => {
  expect(indexingShare(0)).toBe(0.5)
  expect(indexingShare(0.1)).toBeGreaterThan(0.4)
  expect(indexingShare(0.5)).toBeGreaterThan(0.1)
  for (const busy of [0.9, 1]) expect(indexingShare(busy)).toBe(0.01)
})

it('the index states up to which time changes are found, and its lag', async () => {
  const store = await openStore({ url: ':memory:', root: '/' })
  let now = Date.UTC(2026, 0)
  const clock = { now: () => now }
  const logger = pino({ level: 'silent' })
  const index = new SearchIndex({ store, flushLogs: async () => undefined, logger, clock })
  const stop = index.start()
  const changedAt = now
  const timestamp = new Date(changedAt).toISOString()
  // more than are indexed at a time
  await store.executions.write(
    Array.from({ length: 40 }, (_, n) => ({
      ...insertion({ id: `e${n}` }),
      events: [{ ...eventRow(1, true), data: `{"type":"workflow-start","timestamp":"${timestamp}"}` }],
    })),
  )
  now += 10_000
  await index.advance()
  expect(index.indexedUntil).toBe(changedAt)
  expect(index.lagMs).toBe(10_000)
  while (await index.advance()) continue
  expect(index.indexedUntil).toBe(now)
  expect(index.lagMs).toBe(0)
  await stop()
  await store.close()
})
