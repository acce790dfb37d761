import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { migratePostgres } from '../../../src/store/postgres/migrate-postgres.ts'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'

// the files of a worker share their modules: those that see the mock are loaded for this file alone
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('../../../src/store/postgres/migrations/migrations.ts', () => ({
  POSTGRES_MIGRATIONS: [
    'ALTER TABLE executions ADD COLUMN region text',
    `CREATE TABLE regions (name text PRIMARY KEY); INSERT INTO regions VALUES ('north')`,
  ],
}))

describeOnPostgres('a Postgres schema of an earlier release', () => {
  let database: TestDatabase
  const url = () => `${database.url}?schema=shop`
  const migrate = (check = false) => migratePostgres({ url: url(), root: '/', check })
  const versions = async () => {
    const rows = await database.query<{ version: number }>(
      'SELECT version FROM shop.agentserver_migrations ORDER BY 1',
    )
    return rows.map(({ version }) => version)
  }

  /** A schema as the release with version 1 leaves it. */
  beforeEach(async () => {
    database = await createDatabase()
    await migrate()
    await database.query(`DROP TABLE shop.regions; ALTER TABLE shop.executions DROP COLUMN region;
      DELETE FROM shop.agentserver_migrations WHERE version > 1`)
  })
  afterEach(() => database.drop())

  it('is migrated once, however many processes do it at the same time', async () => {
    expect(await migrate(true)).toMatchObject({ from: 1, to: 3 })
    expect(await versions()).toEqual([0, 1])
    await Promise.all([migrate(), migrate(), migrate()])
    expect(await versions()).toEqual([0, 1, 2, 3])
    expect(await database.query('SELECT name FROM shop.regions')).toEqual([{ name: 'north' }])
    expect(await migrate()).toMatchObject({ from: 3, to: 3 })
  })

  it('is migrated with a line before and after', async () => {
    const lines: string[] = []
    const log = (line: unknown) => void lines.push(String(line))
    const logger = { info: log, warn: log, debug: log }
    await openPostgresStore({ url: url(), root: '/', migrate: true, logger }).then((store) => store.close())
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^Migrating the schema "shop" of the database .* from version 1 to 3, 2 steps$/),
      expect.stringMatching(/^Migrated the schema "shop" of the database .* in .* s: it has version 3 now$/),
    ])
  })

  it('is left as it was by a migration that fails', async () => {
    await database.query('CREATE TABLE shop.regions (other int)')
    await expect(migrate()).rejects.toThrow(/regions/)
    expect(await versions()).toEqual([0, 1])
    await database.query('DROP TABLE shop.regions')
    await migrate()
    expect(await versions()).toEqual([0, 1, 2, 3])
  })

  it('is refused by a process that may not migrate, which names the command', async () => {
    await expect(openPostgresStore({ url: url(), root: '/' })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/has version 1; this release needs 3$/),
      hint: 'Run `agentserver migrate`',
    })
    expect(await versions()).toEqual([0, 1])
  })
})
