import fs from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { SCHEMA_VERSION } from '../../src/store/sqlite/migrations/migrate.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

let project: CliProject
beforeEach(() => {
  project = new CliProject()
})
afterEach(() => project.end())

const order = (orderId: string, amount = 1) => ['--input', JSON.stringify({ orderId, amount })]
const data = (suffix = '') => project.path(`.agentserver/data.db${suffix}`)
let copies = 0
/** Reads from a copy: libsql keeps a file open after close() until its statements are collected, and a restore refuses that. */
const query = (file: string, sql: string) => {
  const copy = project.path(`queried-${++copies}.db`)
  for (const suffix of ['', '-wal'])
    if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, copy + suffix)
  const database = openDatabase(copy)
  try {
    return database.prepare(sql).get()
  } finally {
    database.close()
  }
}
/** Makes the database large enough to be killed in the middle of a copy. */
const enlarge = () => {
  const database = openDatabase(data())
  database.exec(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
    INSERT INTO logs (id, timestamp, level, message, attributes)
    SELECT n + 1795346312090 * 1024, 1795346312090, 30, hex(randomblob(500)), '{}' FROM n`)
  database.close()
}
const files = (pattern: RegExp) =>
  fs.readdirSync(project.path('.agentserver')).filter((name) => pattern.test(name))

it('backup copies the database of a running server, and restore continues what ran and was suspended', async () => {
  const server = await project.serve('start')
  const suspended = await project.json(['run-workflow', 'order', ...order('b', 500)])
  await server.post('/workflows/slow/execute', { input: {} }, { prefer: 'respond-async' })
  await project.noted('second')

  const copied = await project.run(['backup', 'copy.db'])
  expect(copied).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/Wrote .*copy\.db: 2 executions/),
  })
  if (process.platform !== 'win32') expect(fs.statSync(project.path('copy.db')).mode & 0o777).toBe(0o600)
  expect(await project.run(['backup', 'copy.db'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/copy\.db exists\n.*--force/),
  })
  expect(await project.run(['backup', 'copy.db', '--force'])).toMatchObject({ exitCode: 0 })

  // after the backup
  await project.run(['run-workflow', 'order', ...order('later')])
  const used = await project.run(['restore', 'copy.db'])
  expect(used).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/in use by process \d+/) })
  await server.kill('SIGKILL')

  const restored = await project.json(['restore', 'copy.db'])
  expect(restored).toMatchObject({ exitCode: 0, value: { executions: 2, running: 1, suspended: 1 } })
  expect(query(restored.value.previous, 'SELECT count(*) AS total FROM executions')).toMatchObject({
    total: 3,
  })

  project.openGate()
  await project.serve('start')
  const status = async () =>
    (await project.json(['list', 'executions', '--workflow', 'slow'])).value[0].status as string
  await expect.poll(status).toBe('completed')
  expect(project.notes()).toEqual(['first', 'second', 'second', 'third'])
  const resumed = await project.json([
    'resume-workflow',
    'order',
    suspended.value.executionId,
    '--data',
    '{"ok":true}',
  ])
  expect(resumed).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
})

it('backup that is killed leaves no file with the name of the backup, and the next one removes the rest', async () => {
  await project.run(['run-workflow', 'order', ...order('a')])
  enlarge()
  const partial = () => fs.readdirSync(project.root).filter((name) => name.includes('.partial-'))
  const backup = project.spawn(['backup', 'copy.db'])
  await until(
    () =>
      partial().some((name) => (fs.statSync(project.path(name), { throwIfNoEntry: false })?.size ?? 0) > 0),
    'bytes are written',
  )
  expect(backup.kill('SIGKILL')).toBe(true)
  await backup
  expect(fs.existsSync(project.path('copy.db'))).toBe(false)
  expect(await project.run(['backup', 'copy.db'])).toMatchObject({ exitCode: 0 })
  expect(partial()).toEqual([])
  expect(query(project.path('copy.db'), 'SELECT count(*) >= 60000 AS complete FROM logs')).toMatchObject({
    complete: 1,
  })
})

it('restore that is killed leaves the old database or the new one', async () => {
  await project.launch(['run-workflow', 'order', ...order('a')])
  enlarge()
  await project.run(['backup', 'copy.db'])
  await project.launch(['run-workflow', 'order', ...order('later')])
  const before = () => files(/before-restore/)
  const count = () => query(data(), 'SELECT count(*) AS total FROM executions') as { readonly total: number }
  const killWhen = async (happened: () => boolean) => {
    const restoring = project.spawn(['restore', 'copy.db'])
    await until(() => happened() || restoring.exitCode !== null, 'the instant')
    restoring.kill('SIGKILL')
    await restoring
  }
  await killWhen(() => files(/partial/).length > 0)
  expect(count().total).toBe(2)
  await killWhen(() => before().length > 0)
  // killed after the old one got its second name: it still has its own, or the restored one has it
  expect([1, 2]).toContain(count().total)
  expect(query(data(), 'PRAGMA quick_check')).toMatchObject({ quick_check: 'ok' })
  expect(await project.json(['restore', 'copy.db'])).toMatchObject({ exitCode: 0 })
  expect(count().total).toBe(1)
  expect(files(/partial/)).toEqual([])
})

it('restore refuses files that are damaged, of another program or of a later release', async () => {
  await project.run(['run-workflow', 'order', ...order('a')])
  await project.run(['backup', 'copy.db'])
  const refused = async (file: string, reason: RegExp) => {
    expect(await project.run(['restore', file])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(reason),
    })
    expect(query(data(), 'SELECT count(*) AS total FROM executions')).toMatchObject({ total: 1 })
  }
  await refused('missing.db', /does not exist/)
  project.write({ 'text.db': 'not a database '.repeat(1000) })
  await refused('text.db', /not a SQLite database/)
  const foreign = openDatabase(project.path('foreign.db'))
  foreign.exec('CREATE TABLE notes (text)')
  foreign.close()
  await refused('foreign.db', /not made by agentserver/)
  const bytes = fs.readFileSync(project.path('copy.db'))
  bytes.fill(0xff, 8 * 4096)
  fs.writeFileSync(project.path('damaged.db'), bytes)
  await refused('damaged.db', /damaged/)
  const newer = openDatabase(project.path('copy.db'))
  newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
  await refused('copy.db', /this release supports versions up to.*\n.*Update agentserver/)
  newer.exec('PRAGMA application_id = 0; PRAGMA user_version = 44')
  newer.close()
  await refused('copy.db', /The backup was not made by a released version.*\n.*new database file/)
  expect(files(/partial|before-restore/)).toEqual([])
})

it('restore replaces a damaged database and keeps it, with its WAL', async () => {
  await project.run(['run-workflow', 'order', ...order('a')])
  await project.run(['backup', 'copy.db'])
  project.write({ '.agentserver/data.db': 'damaged '.repeat(2000), '.agentserver/data.db-wal': 'a WAL' })
  const { exitCode, value } = await project.json(['restore', 'copy.db'])
  expect(exitCode).toBe(0)
  expect(fs.readFileSync(value.previous, 'utf8')).toMatch(/^damaged/)
  expect(query(data(), 'SELECT count(*) AS total FROM executions')).toMatchObject({ total: 1 })
})

it('backup refuses to write over the database itself, also with --force', async () => {
  await project.run(['run-workflow', 'order', ...order('a')])
  for (const suffix of ['', '-lock'])
    expect(await project.run(['backup', data(suffix), '--force'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is a file of the database itself'),
    })
})

it('backup and restore print the commands for a Postgres database', async () => {
  const env = { DATABASE_URL: 'postgres://shop:secret@db.example:5432/shop?schema=orders&sslmode=require' }
  const backup = await project.run(['backup', 'copy.dump'], { env })
  expect(backup).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('secret') })
  expect(backup.stderr).toMatch(
    /pg_dump --format=custom --schema=orders --schema=orders_boss --file=\S+copy\.dump '?postgres:\/\/shop@db\.example:5432\/shop\?sslmode=require/,
  )
  const restore = await project.run(['restore', 'copy.dump'], { env })
  expect(restore).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('pg_restore --clean --if-exists'),
  })
})

it('a database that is deleted under its server is backed up from the rescue copy, and restored', async () => {
  const server = await project.serve('start')
  await project.json(['run-workflow', 'order', ...order('kept', 500)])
  fs.rmSync(data())
  await expect.poll(() => files(/rescued-[\dTZ-]+$/), { timeout: 10_000 }).toHaveLength(1)
  const copied = await project.run(['backup', 'copy.db'])
  expect(copied).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/1 executions.*\n.*data\.db is missing; this is a copy of .*rescued-/),
  })
  await server.kill('SIGKILL')
  const [copy = ''] = files(/rescued-/)
  const restored = await project.json(['restore', `.agentserver/${copy}`])
  expect(restored).toMatchObject({ exitCode: 0, value: { executions: 1, suspended: 1 } })
  await project.serve('start')
  expect((await project.json(['list', 'executions'])).value).toHaveLength(1)
})
