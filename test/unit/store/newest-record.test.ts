import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { insertion } from '../../suites/store/execution-rows.ts'
import { TempProject } from '../../support/project/temp-project.ts'

let project: TempProject
let store: Store

const open = () => openSqliteStore({ file: project.path('data.db') })

beforeEach(() => {
  project = new TempProject()
  store = open()
})
afterEach(async () => {
  await store.close()
  project.remove()
})

async function reopened(): Promise<number | undefined> {
  await store.close()
  store = open()
  return store.newestRecordAt
}

const logAt = (timestamp: number) => ({
  id: timestamp * 1024,
  timestamp,
  level: 30,
  message: 'started',
  attributes: '{}',
  traceId: null,
  spanId: null,
  executionId: null,
  workflowId: null,
  agentId: null,
})

test('the newest record is that of the last time the database was open', async () => {
  expect(store.newestRecordAt).toBeUndefined()
  await store.executions.write([
    insertion({ id: 'a', createdAt: 5000 }),
    insertion({ id: 'b', status: 'completed', createdAt: 1000, endedAt: 7000 }),
  ])
  expect(store.newestRecordAt).toBeUndefined()
  expect(await reopened()).toBe(7000)
})

test('telemetry counts only when there are no other records', async () => {
  await store.logs.insert([logAt(8000), logAt(9000)])
  expect(await reopened()).toBe(9000)
  await store.executions.write([insertion({ id: 'a', createdAt: 5000 })])
  expect(await reopened()).toBe(5000)
})
