import fs from 'node:fs'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/store/sqlite/driver.ts'
import { migrate } from '../../../../src/store/sqlite/migrations/migrate.ts'
import { dataOf } from '../../../support/server/responses.ts'
import { TestServer } from '../../../support/server/test-server.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { config, endLongSteps } from './project.ts'

/*
 * `version-8.sql` is the database of a killed server, as `sqlite3 data.db .dump` prints it, with its schema version
 * added. A server of release 0.1.0 with schema version 8 (commit b55f280) served `project.ts` and had executed
 * `completed` (amount 50), `resumed` (amount 250, resumed with `{ ok: true }`), `suspended` (amount 300), `cancelled`
 * (amount 400), `failed`, a replay of `completed` from step `both`, and an answer of the agent. A second server was
 * killed while it ran `running`. `version-8.ndjson` holds what that server responded just before: a path and the data
 * of the response in each line.
 */
const DUMP = fs.readFileSync(new URL('./version-8.sql', import.meta.url), 'utf8')
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
const write = (sql: string) => {
  const database = openDatabase(file)
  database.exec(sql)
  database.close()
}
const start = () =>
  new TestServer(
    { ...config, database: `file:${file}`, retention: { executions: FOREVER, telemetry: FOREVER } },
    { root: project.root },
  )
beforeEach(() => {
  file = project.path(`${++files}.db`)
  write(DUMP)
  endLongSteps()
  server = start()
})
afterEach(() => server.close())

/** The data without the execution that was running, as it is continued now, and without what records list now: waits, a link. */
const settled = (data: unknown) => {
  if (Array.isArray(data))
    return data.filter(({ id, name }: Listed) => id !== 'running' && name !== 'invoke_workflow long')
  const { waits: _, resumeUrl: __, ...rest } = data as { waits?: unknown; resumeUrl?: unknown }
  return rest
}

/** The data with what later releases added: the cost of usage, which is unknown, and why an answer ended. */
const withAdditions = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data), (key, value: object) => {
    if ((key === 'usage' && value !== null) || 'inputTokens' in Object(value))
      return { ...value, costUsd: null }
    return 'agentId' in Object(value) && 'steps' in Object(value) ? { ...value, finishReason: 'stop' } : value
  })

test.each(responses)('GET %s returns the same as the earlier release', async (path, data) => {
  expect(settled(await dataOf(server.request(path)))).toEqual(settled(withAdditions(data)))
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

test('an execution that an authenticated user started belongs to that user', async () => {
  await server.close()
  file = project.path('owners.db')
  write(DUMP)
  write(`UPDATE payloads SET user = '{"id":"ann","role":"clerk"}'
    WHERE execution IN (SELECT number FROM executions WHERE id IN ('completed', 'resumed'))`)
  write(`UPDATE payloads SET user = '{"role":"clerk"}'
    WHERE execution = (SELECT number FROM executions WHERE id = 'failed')`)
  server = start()
  expect(await server.record('order', 'completed')).toMatchObject({ ownerId: 'ann' })
  expect(await server.record('order', 'cancelled')).not.toHaveProperty('ownerId')
  const owners = rowsOf(`SELECT id, owner FROM executions WHERE owner IS NOT NULL ORDER BY id`)
  expect(owners).toEqual([
    { id: 'completed', owner: '"ann"' },
    { id: 'failed', owner: '{"role":"clerk"}' },
    { id: 'resumed', owner: '"ann"' },
  ])
})

test('old executions and agent runs are found by their texts', async () => {
  const found = async (q: string) => {
    const listed = await dataOf<{ id: string; kind: string }[]>(
      server.request(`/observability/search?q=${q}`),
      200,
      ['indexedUntil'],
    )
    return listed.map(({ id, kind }) => (kind === 'run' ? kind : id))
  }
  await expect.poll(() => found('status:error+kind:execution'), { timeout: 10_000 }).toEqual(['failed'])
  await expect.poll(() => found('kind:run'), { timeout: 10_000 }).toEqual(['run'])
  expect(await found('completed+kind:execution')).toContain('completed')
})

test('the journal holds JSON arrays that json_each reads', async () => {
  await dataOf(server.request('/observability/executions'))
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

test('the spans of a trace are JSON objects that json_each reads', async () => {
  await dataOf(server.request('/observability/traces'))
  const spans = rowsOf(`
    SELECT json_extract(span.value, '$.name') AS name, json_extract(span.value, '$.status') AS status,
      json_extract(span.value, '$.attributes."agentserver.step.id"') AS step
    FROM traces JOIN span_chunks ON span_chunks.number / 1048576 = traces.number, json_each(span_chunks.spans) AS span
    WHERE traces.execution_id = 'failed' ORDER BY span_chunks.number, span.key`)
  expect(spans).toEqual([
    { name: 'POST /workflows/:id/execute', status: 'error', step: null },
    { name: 'invoke_workflow failing', status: 'error', step: null },
    { name: 'step boom', status: 'error', step: 'boom' },
  ])
})

test('a span that can not be read is shown as such and does not stop the upgrade', async () => {
  await server.close()
  file = project.path('damaged.db')
  write(DUMP.replace('["invoke_workflow failing"', '["invoke_workflow failing'))
  server = start()
  const traces = await dataOf<{ traceId: string; name: string }[]>(
    server.request('/observability/traces?limit=50'),
  )
  const { traceId } = traces.find(({ name }) => name === 'invoke_workflow failing') ?? { traceId: '' }
  const { spans } = await dataOf<{ spans: { name: string }[] }>(
    server.request(`/observability/traces/${traceId}`),
  )
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'POST /workflows/:id/execute',
    'step boom',
    'unreadable',
  ])
})

test('the schema is the same as that of a new database', async () => {
  await dataOf(server.request('/observability/executions'))
  const query = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name'
  const fresh = openDatabase(':memory:')
  migrate(fresh)
  const expected = fresh.prepare(query).all()
  fresh.close()
  // comments may change after a release
  const normalize = (rows: readonly unknown[]) =>
    rows.map((row) =>
      JSON.stringify(row)
        .replaceAll(/--.*?\\n/g, '')
        .replaceAll(/(\\n|\s)+/g, ' '),
    )
  expect(normalize(rowsOf(query))).toEqual(normalize(expected))
})
