import { expect, it } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import { storeSuite } from './store-suite.ts'

describeOnPostgres('Postgres', () => {
  const urlOf = migratedDatabases()
  let databases = 0

  storeSuite('the store on Postgres', async () =>
    openPostgresStore({ url: await urlOf(`d${++databases}`), root: '/' }),
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
