import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { engineSuite } from './engine-suite.ts'

describeOnPostgres('Postgres', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  const open = (schema: string) =>
    openPostgresStore({ url: `${database.url}?schema=${schema}`, root: '/', migrate: true })

  engineSuite('the engine on Postgres', { connect: open })
})
