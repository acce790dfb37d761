import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { engineSuite } from './engine-suite.ts'
import type { EnginePart } from './engine-suite.ts'

/** Tests a part of the engine on Postgres. */
export function postgresEngine(part: EnginePart): void {
  describeOnPostgres('Postgres', () => {
    const urlOf = migratedDatabases()

    engineSuite(
      'the engine on Postgres',
      { connect: async (database) => openPostgresStore({ url: await urlOf(database), root: '/' }) },
      part,
    )
  })
}
