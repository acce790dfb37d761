import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { walBytes } from '../../../../src/store/sqlite/checkpoints.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../../src/store/store.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { until } from '../../../support/until.ts'

const MB = 1024 * 1024

let project: TempProject
let file: string
let store: Store
let threads: Worker[]
let records = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  threads = []
  records = 0
  const started = (thread: Worker) => void threads.push(thread)
  process.on('worker', started)
  onTestFinished(() => void process.off('worker', started))
  project = new TempProject({ 'data/kept': '' })
  file = project.path('data/data.db')
  store = openSqliteStore({ file })
})
afterEach(async () => {
  await store.close()
  vi.useRealTimers()
  project.remove()
})

/** Stores log records of 100 kB each, and lets a moment pass. */
async function log(count: number): Promise<void> {
  const record = { level: 30, attributes: '{}', traceId: null, spanId: null, executionId: null }
  for (let index = 0; index < count; index++) {
    const id = 1_700_000_000_000 * 1024 + records++
    const message = String(id).padEnd(100_000, 'x')
    await store.logs.insert([{ ...record, id, timestamp: 1, message, workflowId: null, agentId: null }])
  }
  vi.advanceTimersByTime(1000)
  // the start of a thread is announced
  await nextTurn()
}

test('a database without load has no thread', async () => {
  await log(100)
  expect(threads).toEqual([])
  expect(walBytes(file)).toBeGreaterThan(9 * MB)
})

test('a WAL is written back by one thread, and begins anew', async () => {
  for (let round = 0; round < 3; round++) {
    await log(350)
    await until(async () => {
      await log(1)
      return walBytes(file) < 8 * MB
    })
  }
  expect(threads).toHaveLength(1)
  expect(fs.statSync(`${file}-wal`).size).toBeLessThan(64 * MB)
  expect(await store.logs.count()).toBe(records)
})

test('a WAL stays bounded without the thread, and is empty when the database is closed', async () => {
  await log(350)
  expect(threads).toHaveLength(1)
  await threads[0]?.terminate()
  for (let round = 0; round < 4; round++) await log(300)
  expect(threads).toHaveLength(1)
  expect(fs.statSync(`${file}-wal`).size).toBeLessThan(64 * MB)
  const stored = await store.logs.count()
  await store.close()
  expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  store = openSqliteStore({ file })
  expect(await store.logs.count()).toBe(stored)
})

test('a database is closed while its WAL is written back', async () => {
  await log(350)
  await store.close()
  expect(threads).toHaveLength(1)
  expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  store = openSqliteStore({ file })
  expect(await store.logs.count()).toBe(350)
})

test('a file that has replaced the database is not opened', async () => {
  fs.renameSync(path.dirname(file), project.path('away'))
  await log(350)
  expect(threads).toEqual([])
  expect(fs.existsSync(file)).toBe(false)
  fs.renameSync(project.path('away'), path.dirname(file))
})
