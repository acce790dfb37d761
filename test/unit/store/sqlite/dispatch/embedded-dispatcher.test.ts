import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../../../src/lib/clock.ts'
import { EmbeddedDispatcher } from '../../../../../src/store/sqlite/dispatch/embedded-dispatcher.ts'
import { JobTable } from '../../../../../src/store/sqlite/dispatch/job-table.ts'
import { Lives } from '../../../../../src/store/sqlite/dispatch/lives.ts'
import { openDatabase } from '../../../../../src/store/sqlite/driver.ts'
import type { Database } from '../../../../../src/store/sqlite/driver.ts'
import { DatabaseHealth } from '../../../../../src/store/sqlite/health/database-health.ts'
import { monitoredDatabase } from '../../../../../src/store/sqlite/health/monitored-database.ts'
import { migrate } from '../../../../../src/store/sqlite/migrations/migrate.ts'
import { job, RecordedJobs } from '../../../../suites/dispatcher/recorded-jobs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A dispatcher whose database can be made to fail each commit, as with a full disk. */
function fillable() {
  const raw = openDatabase(':memory:')
  migrate(raw)
  const state = { isFull: false }
  const exec = (sql: string) => {
    if (state.isFull && sql === 'COMMIT')
      throw Object.assign(new Error('database or disk is full'), { errcode: 13, rawCode: 13 })
    raw.exec(sql)
  }
  const failing: Database = { exec, prepare: (sql) => raw.prepare(sql), close: () => raw.close() }
  const health = new DatabaseHealth(failing, {
    file: ':memory:',
    readOnly: false,
    onHealth: () => undefined,
  })
  const database = monitoredDatabase(failing, health)
  const table = new JobTable(database, systemClock)
  const lives = new Lives(database, 1)
  const dispatcher = new EmbeddedDispatcher({
    database,
    table,
    lives,
    ownerEpoch: 1,
    clock: systemClock,
    health,
  })
  const left = () => table.due(Date.now() + 1e9, 10).length
  return { state, health, dispatcher, left }
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a job whose end can not be stored is not done again, and its end is stored later', async () => {
  const { state, health, dispatcher, left } = fillable()
  const server = new RecordedJobs()
  server.act = async () => {
    state.isFull = true
    return 'done'
  }
  await dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
  server.serveSoon(dispatcher)
  await turns()
  expect(health.problem).toBeDefined()
  await vi.advanceTimersByTimeAsync(5000)
  await turns()
  expect(left()).toBe(1)
  state.isFull = false
  await vi.advanceTimersByTimeAsync(2000)
  await turns()
  expect(health.problem).toBeUndefined()
  expect(left()).toBe(0)
  expect(server.names).toEqual(['a'])
})

test('no job is started while the database can not be used', async () => {
  const { state, dispatcher } = fillable()
  const server = new RecordedJobs()
  server.most = 0
  await dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
  server.serveSoon(dispatcher)
  await turns()
  state.isFull = true
  await expect(dispatcher.change({ drop: ['a'] })).rejects.toThrow('disk is full')
  server.most = 1
  await vi.advanceTimersByTimeAsync(5000)
  await turns()
  expect(server.names).toEqual([])
  state.isFull = false
  await vi.advanceTimersByTimeAsync(2000)
  await turns()
  expect(server.names).toEqual(['a'])
})

test('a stop does not wait until the database can be used', async () => {
  const { state, dispatcher } = fillable()
  const server = new RecordedJobs()
  const release = server.hold()
  await dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
  server.serveSoon(dispatcher)
  await turns()
  state.isFull = true
  const stopped = dispatcher.stop()
  release()
  await stopped
  expect(server.inProgress).toBe(0)
})
