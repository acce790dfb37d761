import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { POSTGRES_VERSIONS } from '../../src/store/postgres/migrations/version-of-schema.ts'
import { migrate } from '../../src/store/sqlite/migrations/migrate.ts'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'

const SECURITY = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')
const [, section = ''] = SECURITY.split('\n## Stored unredacted\n')
const listed = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name))

it('SECURITY.md lists each table of SQLite once', () => {
  const database = openDatabase(':memory:')
  migrate(database)
  const tables = database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%'",
    )
    .all() as { name: string }[]
  database.close()
  const onlyOnPostgres = ['counters', 'log_days', 'trace_days']
  expect(listed.toSorted()).toEqual([...tables.map(({ name }) => name), ...onlyOnPostgres].toSorted())
})

describeOnPostgres('on Postgres', () => {
  it('SECURITY.md lists each table', async () => {
    const database = await createDatabase()
    try {
      await database.query('CREATE TABLE jobs (key text, number int GENERATED ALWAYS AS IDENTITY)')
      await database.query(`CREATE SCHEMA own; SET search_path = own; ${POSTGRES_VERSIONS.join(';\n')}`)
      const rows = await database.query(
        "SELECT relname FROM pg_class WHERE relnamespace = 'own'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
      )
      const tables = rows.map(({ relname }) => String(relname))
      expect(tables.length).toBeGreaterThan(20)
      expect(tables.filter((name) => !listed.includes(name))).toEqual([])
    } finally {
      await database.drop()
    }
  })
})
