import * as pg from 'pg'
import { expect, it } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { migratedDatabases } from '../../support/postgres/migrated-database.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import { agentRunRow } from './agent-run-rows.ts'
import { executionRow } from './execution-rows.ts'
import { storeSuite } from './store-suite.ts'

describeOnPostgres('Postgres', () => {
  const urlOf = migratedDatabases()
  let databases = 0

  storeSuite('the store on Postgres', async () =>
    openPostgresStore({ url: await urlOf(`d${++databases}`), root: '/' }),
  )

  it('a call waits for one of another machine that is being reserved in the same budget, and counts it', async () => {
    const url = await urlOf(`d${++databases}`)
    const store = await openPostgresStore({ url, root: '/' })
    const [other, watch] = [
      new pg.Client({ connectionString: url }),
      new pg.Client({ connectionString: url }),
    ]
    await Promise.all([other.connect(), watch.connect()])
    const limit = {
      declaredOn: 'config',
      per: 'project',
      subject: '',
      fromHour: 0,
      costNano: null,
      tokens: 100,
    }
    const limits = [{ ...limit, untilHour: 50 }]
    try {
      const schema = new URL(url).searchParams.get('schema') ?? 'agentserver'
      await other.query(`SET search_path = ${schema}; BEGIN`)
      await other.query('SELECT * FROM reserve_budget($1, 10, 0, 60, $2)', [
        'other',
        JSON.stringify([{ ...limits[0], index: 0 }]),
      ])
      const reserving = store.budgets.reserve({
        call: 'own',
        hour: 10,
        amount: { costNano: 0, tokens: 60 },
        limits,
      })
      const waiting =
        "SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%reserve_budget%'"
      await expect.poll(async () => (await watch.query(waiting)).rowCount).toBe(1)
      await other.query('COMMIT')
      expect(await reserving).toEqual([{ index: 0, hours: [{ hour: 10, costNano: 0, tokens: 60 }] }])
    } finally {
      await Promise.all([other.end(), watch.end()])
      await store.close()
    }
  })

  it('an answer ends with an execution whose error has a NUL, which text of Postgres can not have', async () => {
    const store = await openPostgresStore({ url: await urlOf(`d${++databases}`), root: '/' })
    const { ownerEpoch } = store
    const id = 'nul'
    await store.agentRuns.insert(agentRunRow({ id, ownerEpoch }))
    await store.executions.write([{ id, insert: executionRow({ id, kind: 'answer', ownerEpoch }) }])
    const error = JSON.stringify({ name: 'Error', message: 'a\0b' })
    const set = { status: 'error', error, updatedAt: 2, endedAt: 2 } as const
    expect(await store.executions.write([{ id, update: { from: 'running', set } }])).toEqual([true])
    expect(await store.agentRuns.list({ id }, { limit: 1, offset: 0 })).toMatchObject([{ error: 'a\0b' }])
    await store.close()
  })

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
