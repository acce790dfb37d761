import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as pg from 'pg'
import * as pgBoss from 'pg-boss'
import type { AppError } from '../../../src/lib/errors.ts'
import { createDatabases } from '../../../src/store/postgres/connection/create-databases.ts'
import type { CreateDatabasesOptions } from '../../../src/store/postgres/connection/create-databases.ts'
import { migrateSchema, requireMigrated } from '../../../src/store/postgres/migrations/migrate-schema.ts'
import { POSTGRES_SCHEMA_VERSION } from '../../../src/store/postgres/migrations/version-of-schema.ts'
import type { PostgresDatabases } from '../../../src/store/postgres/connection/postgres-databases.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { TempProject } from '../../support/project/temp-project.ts'

interface OpenOptions extends Partial<CreateDatabasesOptions> {
  readonly retry?: boolean
  /** Default: true. */
  readonly migrate?: boolean
}

describeOnPostgres('a connection to Postgres', () => {
  let database: TestDatabase
  let project: TempProject
  const opened: PostgresDatabases[] = []
  const lines: (string | undefined)[] = []

  beforeEach(async () => {
    database = await createDatabase()
    project = new TempProject({ 'package.json': '{"name":"@acme/shop"}' })
    lines.length = 0
  })
  afterEach(async () => {
    for (const databases of opened.splice(0)) await databases.close()
    await database.drop()
    project.remove()
  })

  const open = async (options: OpenOptions = {}) => {
    const { retry = false, migrate = true, ...rest } = options
    const databases = createDatabases(
      { pg, pgBoss },
      {
        url: database.url,
        root: project.root,
        prepare: async (client, target) => {
          const { createPool } = databases
          if (migrate) await migrateSchema(target, { client, pgBoss, createPool })
          else await requireMigrated(client, target)
        },
        onHealth: (problem) => lines.push(problem?.message),
        ...rest,
      },
    )
    opened.push(databases)
    await databases.open({ retry })
    return databases
  }
  const errorOf = async (options: OpenOptions = {}): Promise<AppError> => {
    try {
      await open(options)
    } catch (error) {
      return error as AppError
    }
    throw new Error('The database was opened')
  }
  const withUrl = (change: (url: URL) => void) => {
    const url = new URL(database.url)
    change(url)
    return url.href
  }
  it('has the schema of the project, numbers for bigint, and its settings in each session', async () => {
    const { writes, reads, telemetry, schema, listens } = await open()
    expect([schema, listens]).toEqual(['agentserver_acme_shop', true])
    for (const pool of [writes, reads, telemetry]) {
      const text = `SELECT 5::bigint AS n, ARRAY[1, NULL]::bigint[] AS list, current_schema() AS schema,
        current_setting('statement_timeout') AS timeout, current_setting('application_name') AS application`
      expect(await pool.rows({ text, name: 'settings' })).toEqual([
        { n: 5, list: [1, null], schema, timeout: '30s', application: 'agentserver' },
      ])
    }
    expect(pg.types.getTypeParser(20)('5')).toBe('5')
    const text = 'SELECT version, project FROM agentserver_migrations ORDER BY version'
    expect(await reads.rows({ text })).toEqual(
      Array.from({ length: POSTGRES_SCHEMA_VERSION + 1 }, (_, version) => ({
        version,
        project: '@acme/shop',
      })),
    )
  })

  it('commits a transaction that succeeds, and rolls back one that fails', async () => {
    const { writes } = await open()
    await writes.change({ text: 'CREATE TABLE t (id int)' })
    const insert = (id: number) => ({ text: 'INSERT INTO t VALUES ($1)', values: [id] })
    expect(await writes.transaction((tx) => tx.change(insert(1)))).toBe(1)
    const failing = writes.transaction(async (tx) => {
      await tx.change(insert(2))
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow(RangeError)
    expect(await writes.rows({ text: 'SELECT id FROM t' })).toEqual([{ id: 1 }])
  })

  it('migrates once, however many processes start', async () => {
    await Promise.all(Array.from({ length: 4 }, () => open()))
    expect(
      await database.query('SELECT count(*)::int AS n FROM agentserver_acme_shop.agentserver_migrations'),
    ).toEqual([{ n: POSTGRES_SCHEMA_VERSION + 1 }])
  })

  it('that may not migrate refuses a schema that needs it, and names the command', async () => {
    expect(await errorOf({ migrate: false, retry: true })).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('has no tables yet'),
      hint: 'Run `agentserver migrate`',
    })
    await open()
    await open({ migrate: false })
  })

  it('refuses the schema of another project, and names both', async () => {
    const url = withUrl((one) => one.searchParams.set('schema', 'shared'))
    await open({ url })
    project.write({ 'package.json': '{"name":"other"}' })
    for (const migrate of [true, false])
      expect(await errorOf({ url, migrate })).toMatchObject({
        message: expect.stringContaining('belongs to the project "@acme/shop"; this one is "other"'),
        hint: expect.stringContaining('?schema='),
      })
    // its own schema is another one
    await open()
  })

  it('refuses a schema with the tables of another program', async () => {
    await database.query(
      'CREATE SCHEMA agentserver_acme_shop; CREATE TABLE agentserver_acme_shop.songs (title text)',
    )
    expect(await errorOf()).toMatchObject({
      message: expect.stringContaining('belongs to another program'),
      hint: expect.stringContaining('?schema='),
    })
    expect(await database.query('SELECT * FROM agentserver_acme_shop.songs')).toEqual([])
  })

  it('refuses a schema of a later release; a process that uses it already continues', async () => {
    const { reads } = await open()
    await database.query(
      `INSERT INTO agentserver_acme_shop.agentserver_migrations VALUES (99, '9.8.7', '@acme/shop', now())`,
    )
    expect(await errorOf()).toMatchObject({
      message: expect.stringContaining('made by a later release, agentserver 9.8.7'),
      hint: expect.stringContaining('npm install agentserver@9.8.7'),
    })
    expect(await reads.rows({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
  })

  it('refuses a schema of a build from before the first release, says what to do, and does not change it', async () => {
    await open()
    const versions = 'agentserver_acme_shop.agentserver_migrations'
    const stored = () =>
      database.query<{ version: number }>(`SELECT version FROM ${versions} ORDER BY version`)
    for (const newest of [1, 27]) {
      await database.query(`DELETE FROM ${versions};
        INSERT INTO ${versions} SELECT n, '0.1.0', '@acme/shop', now() FROM generate_series(1, ${newest}) AS n`)
      for (const migrate of [true, false])
        expect(await errorOf({ migrate })).toMatchObject({
          code: 'unavailable',
          message: expect.stringMatching(
            /^The schema "agentserver_acme_shop" of the database .* was not made by a released version of agentserver$/,
          ),
          hint: 'Start with a new database, or another schema with ?schema=… in the URL: nothing of an unreleased version is carried over',
        })
      expect(await stored()).toHaveLength(newest)
    }
  })

  it('names the right that is missing to create the schema, and uses a schema that was made for its user', async () => {
    const role = `role_${Date.now()}`
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`)
    try {
      const url = withUrl((one) => {
        one.username = role
        one.password = 'pw'
      })
      const { message, hint } = await errorOf({ url })
      expect(message).toContain(`The user "${role}" may not create the schema "agentserver_acme_shop"`)
      expect(hint).toMatch(/GRANT CREATE ON DATABASE "\w+" TO "role_\d+"; or run `agentserver migrate`/)
      await open()
      expect(await errorOf({ url })).toMatchObject({
        message: expect.stringContaining('belongs to the user "postgres"'),
        hint: `As an administrator: GRANT "postgres" TO "${role}"`,
      })
      await database.query(
        `DROP SCHEMA agentserver_acme_shop CASCADE; DROP SCHEMA agentserver_acme_shop_boss CASCADE;
         CREATE SCHEMA agentserver_acme_shop AUTHORIZATION ${role}; CREATE SCHEMA agentserver_acme_shop_boss AUTHORIZATION ${role}`,
      )
      await open({ url })
    } finally {
      await database.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    }
  })

  it('with a wrong password fails without showing it', async () => {
    const url = withUrl((one) => (one.password = 'wr0ngpassword'))
    const error = await errorOf({ url })
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^The database \w+ on 127\.0\.0\.1:\d+ cannot be used: password authentication failed/,
      ),
      hint: expect.stringContaining('Check the user and the password'),
    })
    expect(inspect(error)).not.toContain('wr0ng')
  })

  it('that cannot be made is retried until it can, with one report', async () => {
    const bringBack = await database.takeAway()
    const { health, reads } = await open({ retry: true })
    expect(health.problem?.message).toContain('is not currently accepting connections')
    // callers don't learn which database it is, and why
    await expect(reads.rows({ text: 'SELECT 1' })).rejects.toThrow(/^The database cannot be used$/)
    await bringBack()
    await health.opened
    await vi.waitFor(() => expect(health.problem).toBeUndefined())
    expect(await reads.rows({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
    expect(lines).toEqual([expect.stringContaining('not currently accepting connections'), undefined])
  })

  it('that needs somebody when it can be made says so, until it is done', async () => {
    const bringBack = await database.takeAway()
    const { health, reads } = await open({ retry: true, migrate: false })
    await bringBack()
    await vi.waitFor(() => expect(health.problem?.message).toContain('has no tables yet'), { timeout: 5000 })
    await expect(reads.rows({ text: 'SELECT 1' })).rejects.toThrow(/^The database cannot be used$/)
    expect(lines).toEqual([
      expect.stringContaining('not currently accepting connections'),
      expect.stringContaining('has no tables yet'),
    ])
    await open()
    await vi.waitFor(() => expect(health.problem).toBeUndefined(), { timeout: 10_000 })
  })

  it('that is lost is reported once, queries fail fast, and it is used again when it is back', async () => {
    const { health, reads, writes } = await open()
    const sleeping = writes.rows({ text: 'SELECT pg_sleep(600)' }).catch((error: AppError) => error.code)
    await reads.rows({ text: 'SELECT 1' })
    const bringBack = await database.takeAway()
    expect(await sleeping).toBe('unavailable')
    await vi.waitFor(() => expect(health.problem?.message).toContain('cannot be used'))
    for (let n = 0; n < 3; n++)
      await expect(reads.rows({ text: 'SELECT 1' })).rejects.toThrow('cannot be used')
    await bringBack()
    await vi.waitFor(() => expect(health.problem).toBeUndefined(), { timeout: 5000 })
    expect(await reads.rows({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
    expect(lines).toEqual([expect.stringContaining('cannot be used'), undefined])
  })

  it('is not lost by a query that fails', async () => {
    const { health, reads } = await open()
    await expect(reads.rows({ text: 'SELECT 1/0' })).rejects.toThrow('division by zero')
    expect(health.problem).toBeUndefined()
    expect(lines).toEqual([])
  })
})
