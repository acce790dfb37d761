import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/lib/clock.ts'
import { PostgresDatabases } from '../../../../src/store/postgres/connection/postgres-databases.ts'
import { parsePostgresUrl } from '../../../../src/store/postgres/connection/postgres-url.ts'
import { PostgresSql } from '../../../../src/store/postgres/postgres-sql.ts'
import { tx } from '../../../../src/store/sql/sql.ts'
import type { Sql } from '../../../../src/store/sql/sql.ts'
import { JobTable } from '../../../../src/store/sqlite/dispatch/job-table.ts'
import { openDatabase, preferredDriver } from '../../../../src/store/sqlite/driver.ts'
import type { Database } from '../../../../src/store/sqlite/driver.ts'
import { migrate } from '../../../../src/store/sqlite/migrations/migrate.ts'
import { SqliteSql } from '../../../../src/store/sqlite/sqlite-sql.ts'
import { createDatabase, describeOnPostgres } from '../../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../../support/postgres/test-database.ts'

const TABLE = `CREATE TABLE things (id text PRIMARY KEY, size bigint, ready %s)`
const INSERT = 'INSERT INTO things (id, size, ready) VALUES (?, ?, ?)'
const IDS = 'SELECT id FROM things ORDER BY id'
/** libsql reads a text up to its first NUL. */
const NUL = preferredDriver() === 'libsql' ? '' : '\0'
const JOB = { key: 'job-1', job: { kind: 'hooks', id: 'a' } } as const

interface UnderTest {
  readonly sql: Sql
  /** The keys of the stored jobs. */
  jobs(): Promise<string[]>
}

/** What the stores rely on, of each database. */
function sqlTests(under: UnderTest): void {
  const put = (id: string, size = 1) => under.sql.run(INSERT, [id, size, false])

  it('counts the rows that a statement changes', async () => {
    expect(await put('a')).toBe(1)
    expect(await under.sql.run('UPDATE things SET size = ? WHERE id = ?', [2, 'none'])).toBe(0)
  })

  it('reads numbers and texts as they were written, NUL and other control characters included', async () => {
    const text = `${NUL} \u001A \u001A0 \u001A1`
    await under.sql.run(INSERT, [text, 2 ** 52, true])
    await put('none')
    const query =
      'SELECT id, size, CAST(size * 2 - size AS bigint) AS "sum" FROM things WHERE id = ? AND ready = ?'
    const row = { id: text, size: 2 ** 52, sum: 2 ** 52 }
    expect(await under.sql.all(query, [text, true])).toEqual([row])
    expect(await under.sql.filtered(query, [text, true])).toEqual([row])
    expect(await under.sql.first(query, [text, true])).toEqual(row)
    expect(await under.sql.first(query, [text, false])).toBeUndefined()
  })

  it('finds the rows with one of several values', async () => {
    const b = `b${NUL || 'x'}`
    for (const id of ['a', b, '"c', 'd']) await put(id, id.length)
    const { dialect } = under.sql
    const named = (ids: readonly string[]) =>
      under.sql.all(`SELECT id FROM things WHERE ${dialect.among('id')} ORDER BY size, id`, [ids])
    expect(await named([b, '"c', 'none'])).toEqual([{ id: '"c' }, { id: b }])
    expect(await named([])).toEqual([])
    expect(await under.sql.all(`SELECT id FROM things WHERE NOT (${dialect.among('size')})`, [[2]])).toEqual([
      { id: 'a' },
      { id: 'd' },
    ])
  })

  it('stores what a transaction has done, and its jobs', async () => {
    const result = await under.sql.transaction(function* () {
      const added = yield* tx.run(INSERT, ['a', 1, false])
      yield* tx.jobs({ add: [JOB] })
      return { added, rows: yield* tx.all<{ id: string }>(IDS) }
    })
    expect(result).toEqual({ added: 1, rows: [{ id: 'a' }] })
    expect(await under.jobs()).toEqual(['job-1'])
    await under.sql.transaction(() => tx.jobs({ drop: ['job-1'] }))
    expect(await under.jobs()).toEqual([])
  })

  it('stores nothing of a transaction that throws, and rejects with its error', async () => {
    const failed = under.sql.transaction(function* () {
      yield* tx.run(INSERT, ['a', 1, false])
      yield* tx.jobs({ add: [JOB] })
      throw new Error('no good')
    })
    await expect(failed).rejects.toThrow('no good')
    const refused = under.sql.transaction(function* () {
      yield* tx.run(INSERT, ['a', 1, false])
      yield* tx.run(INSERT, ['a', 1, false])
    })
    await expect(refused).rejects.toThrow(/unique/i)
    expect(await under.sql.all(IDS)).toEqual([])
    expect(await under.jobs()).toEqual([])
    expect(await put('a')).toBe(1)
  })
}

describe('the SQL of SQLite', () => {
  let database: Database
  let jobs: JobTable
  let sql: Sql
  beforeEach(() => {
    database = openDatabase(':memory:')
    migrate(database)
    database.exec(TABLE.replace('%s', 'integer'))
    jobs = new JobTable(database, systemClock)
    sql = new SqliteSql(database, jobs)
  })
  afterEach(() => database.close())
  const storedJobs = () =>
    (database.prepare('SELECT key FROM jobs').all() as { key: string }[]).map(({ key }) => key)

  sqlTests({
    get sql() {
      return sql
    },
    jobs: async () => storedJobs(),
  })

  it('has done a transaction when the call returns, so that nothing comes between its steps', async () => {
    let notified = 0
    jobs.onAdded = () => void notified++
    const steps: string[] = []
    queueMicrotask(() => steps.push('a later turn'))
    const done = sql.transaction(function* () {
      steps.push('first')
      yield* tx.run(INSERT, ['a', 1, false])
      yield* tx.jobs({ add: [JOB] })
      steps.push(`second, notified ${notified}`)
    })
    expect(steps).toEqual(['first', 'second, notified 0'])
    expect(storedJobs()).toEqual(['job-1'])
    expect(notified).toBe(1)
    await done
  })
})

describeOnPostgres('the SQL of Postgres', () => {
  let database: TestDatabase
  let databases: PostgresDatabases
  let sql: Sql
  beforeEach(async () => {
    database = await createDatabase()
    await database.query(TABLE.replace('%s', 'boolean'))
    await database.query('CREATE TABLE jobs (key text)')
    databases = new PostgresDatabases({
      pg,
      url: parsePostgresUrl(database.url),
      schema: 'public',
      prepare: async () => undefined,
      onHealth: () => undefined,
    })
    await databases.open()
    const { reads, writes } = databases
    sql = new PostgresSql({
      reads,
      writes,
      jobs: {
        clockOffset: 0,
        add: async (queries, [job]) =>
          void (await queries.change({ text: 'INSERT INTO jobs VALUES ($1)', values: [job?.key] })),
        drop: async (queries, keys) =>
          void (await queries.change({ text: 'DELETE FROM jobs WHERE key = ANY ($1)', values: [keys] })),
      },
    })
  })
  afterEach(async () => {
    await databases.close()
    await database.drop()
  })

  sqlTests({
    get sql() {
      return sql
    },
    jobs: async () => (await database.query<{ key: string }>('SELECT key FROM jobs')).map(({ key }) => key),
  })

  it('prepares a statement once, whichever store has it', async () => {
    const text = 'SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE ?'
    await sql.all(text, ['%FROM pg_prepared_statements%'])
    const again = await new PostgresSql({
      reads: databases.reads,
      writes: databases.writes,
      jobs: { clockOffset: 0, add: never, drop: never },
    }).all(text, ['%FROM pg_prepared_statements%'])
    expect(again).toHaveLength(1)
  })
})

const never = () => Promise.reject(new Error('not expected'))
