import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { limitMachineTests } from './limit-machine-tests.ts'
import { machineSuite } from './machine-tests.ts'

describeOnPostgres('Postgres', () => {
  const urlOf = migratedDatabases()
  const open = async (database: string) => openPostgresStore({ url: await urlOf(database), root: '/' })

  machineSuite('machines that share a Postgres', { open, many: true })

  limitMachineTests(open)
})
