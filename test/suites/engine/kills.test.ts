import { afterAll } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
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
  const urlOf = migratedDatabases()

  // what a kill after a commit finds in the database, one before the next commit does
  killSuite(
    'on Postgres',
    { connect: async (database) => openPostgresStore({ url: await urlOf(database), root: '/' }) },
    ['before'],
  )
})
