import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { logRow } from './log-rows.ts'
import { nameOf, traceChange } from './trace-rows.ts'

let store: Store
beforeEach(() => {
  store = openSqliteStore({ file: ':memory:' })
})
afterEach(() => store.close())

it('log records of a batch are stored all or not at all', async () => {
  await store.logs.insert([logRow(1)])
  await expect(store.logs.insert([logRow(2), logRow(1)])).rejects.toThrow(/UNIQUE|constraint/i)
  expect((await store.logs.list({}, { limit: 10 })).map(({ timestamp }) => timestamp)).toEqual([1])
  expect(await store.logs.count()).toBe(1)
})

it('traces that were running when the process ended are marked as failed', async () => {
  await store.traces.write([traceChange('left', { status: 'running' }), traceChange('done')])
  expect(await store.traces.endOrphaned()).toBe(1)
  const listed = async (status: 'error' | 'ok') =>
    (await store.traces.list({ status }, { limit: 10 })).map((row) => nameOf(row.traceId))
  expect(await listed('error')).toEqual(['left'])
  expect(await listed('ok')).toEqual(['done'])
})
