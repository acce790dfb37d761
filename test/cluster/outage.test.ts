import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Cluster } from '../support/cluster/cluster.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { LONG, upTo } from './cluster-tests.ts'

describeOnPostgres('an outage of Postgres', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.launch()
  })
  afterAll(() => postgres.remove())

  describe.each(LONG ? [2, 6, 30] : [2, 6])('of %i s', (seconds) => {
    it('moves no execution, loses nothing, and runs no step twice', async () => {
      const cluster = new Cluster(postgres.url, `away${seconds}`)
      try {
        const [a, b] = await cluster.start('a', 'b')
        const ids = (await Promise.all([a!, b!].map((machine) => machine.start('long', 4)))).flat()
        const followers = ids.map((id) => b!.follow('long', id))
        await Promise.all(followers.map((follower) => follower.received(6)))
        await postgres.stop()
        await wait(seconds * 1000)
        await postgres.start()
        await a!.reached('completed', 'long', ids)
        expect(cluster.notes.begunTwice(ids)).toEqual([])
        expect(Object.fromEntries(cluster.notes.executionsByMachine(ids))).toEqual({ a: 4, b: 4 })
        for (const id of ids) {
          const { events } = await b!.record('long', id)
          expect(events.map((event: { id: string }) => Number(event.id))).toEqual(upTo(events.length))
        }
        expect(await a!.machines()).toHaveLength(2)
      } finally {
        await cluster.end()
      }
    })
  })
})
