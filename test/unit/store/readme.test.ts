import { readFileSync } from 'node:fs'
import { andThen, createWorkflow } from 'agentserver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { SCHEMA_VERSION } from '../../../src/store/sqlite/migrations/migrate.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { TestServer } from '../../support/server/test-server.ts'

const README = readFileSync(new URL('../../../src/store/README.md', import.meta.url), 'utf8')

const failing = createWorkflow(
  { id: 'failing' },
  andThen({
    id: 'boom',
    execute: () => {
      throw new Error('no good')
    },
  }),
)

const project = new TempProject()
let database: Database
/** The file of a server that has run the execution of the README's queries. */
beforeAll(async () => {
  const server = new TestServer({ database: 'file:data.db', workflows: [failing] }, { root: project.root })
  await server.post('/workflows/failing/execute', { input: {}, options: { executionId: 'failed' } })
  await server.close()
  database = openDatabase(project.path('data.db'), { readOnly: true })
})
afterAll(() => {
  database.close()
  project.remove()
})

/** The tables, without those in which FTS5 keeps an index. */
const tables = () =>
  database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_schema' ORDER BY name",
    )
    .all() as { name: string }[]

/** The column names in the table of a section. */
function describedColumns(table: string): string[] {
  const [, section = ''] = README.split(`\n### ${table}\n`)
  const [own = ''] = section.split(/\n##/)
  const rows = own.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
}

test('the README describes each table and its columns', () => {
  const columns = tables().map(({ name }) => {
    const rows = database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all() as { name: string }[]
    return [name, rows.map((row) => row.name).toSorted()]
  })
  expect(columns.length).toBeGreaterThan(10)
  const described = tables().map(({ name }) => [name, describedColumns(name).toSorted()])
  expect(described).toEqual(columns)
})

test('the README lists the current schema version last', () => {
  const versions = [...README.matchAll(/^\| (?:\d+–)?(\d+) \|/gm)].map(([, version]) => Number(version))
  expect(versions.at(-1)).toBe(SCHEMA_VERSION)
})

test.each([...README.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => [sql]))(
  'a query of the README returns rows: %s',
  (sql) => {
    expect(database.prepare(sql).all().length).toBeGreaterThan(0)
  },
)
