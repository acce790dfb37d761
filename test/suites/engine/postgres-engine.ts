import { beforeAll } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import { engineSuite } from './engine-suite.ts'
import type { EnginePart } from './engine-suite.ts'

/** Tests a part of the engine on Postgres, each test in a schema of one database. */
export function postgresEngine(part: EnginePart): void {
  describeOnPostgres('Postgres', () => {
    let url = ''
    beforeAll(async () => {
      // dropping hundreds of schemas takes minutes: the database goes with its server
      ;({ url } = await createDatabase())
    })

    engineSuite(
      'the engine on Postgres',
      {
        connect: (schema) => openPostgresStore({ url: `${url}?schema=${schema}`, root: '/', migrate: true }),
      },
      part,
    )
  })
}
