import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { dispatcherSuite } from './dispatcher-suite.ts'

describeOnPostgres('Postgres', () => {
  const urlOf = migratedDatabases()

  dispatcherSuite('the dispatcher on Postgres', {
    open: async (database) => openPostgresStore({ url: await urlOf(database), root: '/' }),
  })
})
