import { afterEach, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { ANY_EXECUTION } from '../../../src/store/remote-changes.ts'
import { inspectPostgres } from '../../../src/store/postgres/inspect-postgres.ts'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { Pooler } from '../../support/postgres/pooler.ts'
import type { SettingsPolicy } from '../../support/postgres/pooler.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { insertion } from '../store/execution-rows.ts'

describeOnPostgres('behind a pooler such as PgBouncer', () => {
  let database: TestDatabase
  let pooler: Pooler
  const stores: Store[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    pooler.close()
    await database.drop()
  })
  const open = async (url: string) => {
    const store = await openPostgresStore({ url: `${url}?schema=shop`, root: '/', migrate: true })
    stores.push(store)
    return store
  }

  it.each<[SettingsPolicy]>([['refused'], ['ignored']])(
    'whose sessions start without settings (%s), data and changes of other machines arrive',
    async (policy) => {
      database = await createDatabase()
      pooler = await Pooler.start(database.url, policy)
      const [pooled, direct] = [await open(pooler.url), await open(database.url)]
      const changed: string[] = []
      const unfollow = pooled.changes.follow({
        watched: () => [ANY_EXECUTION],
        onChange: (topic) => changed.push(topic),
      })
      await pooled.executions.write([insertion({ id: 'a', ownerEpoch: pooled.ownerEpoch })])
      expect((await direct.executions.get('a'))?.id).toBe('a')
      changed.length = 0
      await direct.executions.write([insertion({ id: 'b', ownerEpoch: direct.ownerEpoch })])
      await until(() => changed.includes(ANY_EXECUTION), 'the change')
      expect(await pooled.executions.count({})).toBe(2)
      expect(await direct.dispatcher.isAlive(pooled.ownerEpoch)).toBe(true)
      unfollow()
      const reports = await Promise.all(
        [pooler.url, database.url].map((url) => inspectPostgres({ url: `${url}?schema=shop`, root: '/' })),
      )
      expect(reports.map(({ notifications, isMigrated }) => [notifications, isMigrated])).toEqual([
        ['polled', true],
        ['received', true],
      ])
    },
  )
})
