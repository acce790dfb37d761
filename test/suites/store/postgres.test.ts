import { afterAll, beforeAll, expect, it } from 'vitest'
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

  it('a store has planned its writes on a connection before the first one', async () => {
    const own = await createDatabase()
    const store = await openPostgresStore({ url: own.url, root: '/', migrate: true })
    const connections = () =>
      own.query("SELECT FROM pg_stat_activity WHERE query LIKE '%FROM write_executions(%' AND state = 'idle'")
    await expect.poll(connections).toHaveLength(1)
    await store.close()
    await own.drop()
  })
})
