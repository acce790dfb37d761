import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { storeSuite } from './store-suite.ts'

describeOnPostgres('Postgres', () => {
  let database: TestDatabase
  let schemas = 0
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  storeSuite('the store on Postgres', () =>
    openPostgresStore({ url: `${database.url}?schema=s${++schemas}`, root: '/', migrate: true }),
  )
})
