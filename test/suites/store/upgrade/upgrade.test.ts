import fs from 'node:fs'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/store/sqlite/driver.ts'
import { dataOf, TestServer } from '../../../api/test-server.ts'
import { TempProject } from '../../../support/temp-project.ts'
import { config, endLongSteps } from './project.ts'

/*
 * `version-8.sql` is the database of a killed server, as `sqlite3 data.db .dump` prints it, with its schema version
 * added. A server of release 0.1.0 with schema version 8 (commit b55f280) served `project.ts` and had executed
 * `completed` (amount 50), `resumed` (amount 250, resumed with `{ ok: true }`), `suspended` (amount 300), `cancelled`
 * (amount 400), `failed`, a replay of `completed` from step `both`, and an answer of the agent. A second server was
 * killed while it ran `running`. `version-8.ndjson` holds what that server responded just before: a path and the data
 * of the response in each line.
 */
const FIXTURE = new URL('./version-8.sql', import.meta.url)
const RESPONSES = new URL('./version-8.ndjson', import.meta.url)

const FOREVER = { days: 36_500, count: 1_000_000 }

interface Listed {
  readonly id?: string
  readonly name?: string
}

const responses = fs
  .readFileSync(RESPONSES, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { path: string; data: unknown })
  .map(({ path, data }) => [path, data] as const)

const project = new TempProject()
afterAll(() => project.remove())

let files = 0
let file: string
let server: TestServer
beforeEach(() => {
  file = project.path(`${++files}.db`)
  const database = openDatabase(file)
  database.exec(fs.readFileSync(FIXTURE, 'utf8'))
  database.close()
  endLongSteps()
  server = new TestServer(
    { ...config, database: `file:${file}`, retention: { executions: FOREVER, telemetry: FOREVER } },
    { root: project.root },
  )
})
afterEach(() => server.close())

/** Without the execution that was running, which goes on now. */
const settled = (data: unknown) =>
  Array.isArray(data)
    ? data.filter(({ id, name }: Listed) => id !== 'running' && name !== 'invoke_workflow long')
    : data

test.each(responses)('GET %s returns what the release before returned', async (path, data) => {
  expect(settled(await dataOf(server.ask(path)))).toEqual(settled(data))
})

test('an execution that was suspended resumes with its earlier results', async () => {
  const resumed = await dataOf(
    server.post('/workflows/order/executions/suspended/resume', { resumeData: { ok: true } }),
  )
  const result = { amount: 300, charged: true, approval: { ok: true } }
  expect(resumed).toMatchObject({ status: 'completed', result: [result, result] })
  const { steps, events } = await server.record('order', 'suspended')
  expect(steps.find(({ stepId }) => stepId === 'charge')).toMatchObject({ attempts: 2, status: 'completed' })
  expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index + 1))
})

test('an execution that was running when its server was killed is recovered', async () => {
  const record = () => server.record('long', 'running')
  await expect.poll(record).toMatchObject({ status: 'completed', output: { ready: true } })
  expect((await record()).steps).toMatchObject([
    { stepId: 'before', attempts: 1 },
    { stepId: 'wait', attempts: 2 },
  ])
})

const rowsOf = (sql: string) => {
  const database = openDatabase(file, { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

test('the journal holds JSON arrays that json_each reads', async () => {
  await dataOf(server.ask('/observability/executions'))
  const events = rowsOf(`
    SELECT json_extract(event.value, '$.type') AS type, json_extract(event.value, '$.from') AS step
    FROM journal, json_each(journal.events) AS event
    WHERE execution = (SELECT number FROM executions WHERE id = 'failed') ORDER BY seq, event.key`)
  expect(events).toEqual([
    { type: 'workflow-start', step: null },
    { type: 'step-start', step: 'boom' },
    { type: 'step-error', step: 'boom' },
    { type: 'workflow-error', step: null },
    { type: 'workflow-result', step: null },
  ])
  const steps = rowsOf(`
    SELECT json_extract(step.value, '$.path') AS path, json_extract(step.value, '$.status') AS status
    FROM journal, json_each(journal.steps) AS step
    WHERE execution = (SELECT number FROM executions WHERE id = 'failed') ORDER BY seq, step.key`)
  expect(steps).toEqual([
    { path: 'boom', status: 'running' },
    { path: 'boom', status: 'error' },
  ])
})
