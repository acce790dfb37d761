import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { killSuite } from './kill-tests.ts'

const project = new TempProject()
afterAll(() => project.remove())

killSuite(
  'kills on SQLite',
  { connect: async (database) => openSqliteStore({ file: project.path(`${database}.db`) }) },
  ['before', 'after'],
)

describeOnPostgres('kills', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  // what a kill after a commit finds in the database, one before the next commit does
  killSuite(
    'on Postgres',
    {
      connect: (schema) =>
        openPostgresStore({ url: `${database.url}?schema=${schema}`, root: '/', migrate: true }),
    },
    ['before'],
  )
})
