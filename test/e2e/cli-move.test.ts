import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const ORDER = ['--input', JSON.stringify({ orderId: 'a' })]
const LARGE = ['--input', JSON.stringify({ orderId: 'b', amount: 500 })]

describeOnPostgres('agentserver move', () => {
  let database: TestDatabase
  let project: CliProject
  beforeEach(async () => {
    database = await createDatabase()
    project = new CliProject({ 'package.json': '{"name":"shop"}' })
  })
  afterEach(async () => {
    await project.end()
    await database.drop()
  })
  const env = () => ({ env: { DATABASE_URL: database.url } })

  it('takes a project to Postgres, where running executions continue and suspended ones are resumed', async () => {
    const server = await project.serve('start')
    await project.run(['run-workflow', 'order', ...ORDER])
    const suspended = await project.json(['run-workflow', 'order', ...LARGE])
    await fetch(new URL('/workflows/slow/execute', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ input: {} }),
    })
    await project.noted('second')

    const used = await project.run(['move'], env())
    expect(used).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/in use by process \d+/) })
    await server.kill('SIGKILL')

    const moved = await project.run(['move'], env())
    expect(moved.exitCode).toBe(0)
    expect(moved.stdout).toMatch(
      /Copied 3 executions, 0 agent runs, .* both sides are equal\.\nSet DATABASE_URL/,
    )
    expect(moved.stdout + moved.stderr).not.toContain(`:${new URL(database.url).password}@`)

    project.write({ gate: '' })
    const started = await project.serve('start', env())
    await expect
      .poll(
        async () => (await project.json(['list', 'executions', '--workflow', 'slow'], env())).value[0].status,
      )
      .toBe('completed')
    expect(project.notes()).toEqual(['first', 'second', 'second', 'third'])
    const resumed = await project.json(
      ['resume-workflow', 'order', suspended.value.executionId, '--data', '{"ok":true}'],
      env(),
    )
    expect(resumed).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
    await started.kill('SIGTERM')

    const again = await project.run(['move'], env())
    expect(again).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is not empty: it has 3 executions/),
    })
  })

  it('continues after kill -9, as often as that happens', async () => {
    await project.run(['run-workflow', 'order', ...ORDER])
    const file = openDatabase(project.path('.agentserver/data.db'))
    for (const sql of [
      `WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
       INSERT INTO logs (id, timestamp, level, message, attributes) SELECT n + 1795346312090 * 1024, 1795346312090, 30, 'm' || n, '{}' FROM n`,
      `WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
       INSERT INTO journal (execution, seq, steps, events) SELECT 1000 + n, n, '[]', '[]' FROM n`,
    ])
      file.exec(sql)
    file.close()
    let kills = 0
    for (let parts = 2; parts <= 6; parts++) {
      const moving = project.spawn(['move'], env())
      await until(
        async () => moving.exitCode !== null || (await copiedRows()) > kills * 5000,
        'rows are copied',
      )
      kills += Number(moving.kill('SIGKILL'))
      await moving
    }
    expect(kills).toBeGreaterThan(0)
    const moved = await project.json(['move'], env())
    expect(moved).toMatchObject({ exitCode: 0, value: { rows: { executions: 1, logs: 19_999 } } })
    expect(moved.value.continuedAt).toBeGreaterThan(0)
    expect(moved.value.rows.journal).toBeGreaterThan(19_999)
  })

  async function copiedRows(): Promise<number> {
    const rows = await database
      .query<{ total: string }>('SELECT sum(rows) AS total FROM agentserver_shop.agentserver_move')
      .catch(() => [])
    return Number(rows[0]?.total ?? 0)
  }

  it.each([
    [['--from', 'file:gone.db'], /The database \S+gone\.db does not exist/],
    [['--from', 'file:package.json'], /is not a SQLite database/],
    [
      ['--from', 'postgres://ann:s3cret@db/x'],
      /--from: "postgres:\/\/ann:\*\*\*@db\/x" is not a SQLite database/,
    ],
    [['--to', 'mysql://ann:s3cret@db/x'], /--to is not the URL of a Postgres database/],
  ])('refuses %j, and says why', async (args, message) => {
    const ended = await project.run(['move', ...args], env())
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toContain('s3cret')
    expect([2, 4]).toContain(ended.exitCode)
  })

  it('requires a target', async () => {
    const ended = await project.run(['move'], { env: { DATABASE_URL: undefined } })
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Missing option: --to') })
  })
})
