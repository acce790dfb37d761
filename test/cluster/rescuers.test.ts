import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { LONG, clusterOfTest, upTo } from './cluster-tests.ts'

const RESCUERS = LONG ? 20 : 2

describeOnPostgres('a machine that dies while it takes over', () => {
  const test = clusterOfTest()

  it(
    `leaves nothing behind, whenever that is (${RESCUERS} instants)`,
    { timeout: RESCUERS * 60_000 },
    async () => {
      const { cluster } = test
      let [owner, rescuer, third] = await cluster.start('m1', 'm2', 'm3')
      let count = 3
      for (let round = 0; round < RESCUERS; round++) {
        const ids = await owner!.start('long', 20)
        const followers = ids.map((id) => third!.follow('long', id))
        await Promise.all(followers.map((follower) => follower.received(2)))
        await owner!.kill()
        // from before its death is noticed to after its executions have gone on
        const instant = 1500 + Math.random() * 2500
        await wait(instant)
        await rescuer!.kill()
        await third!.reached('completed', 'long', ids)
        for (const follower of followers) {
          await follower.ended
          expect(follower.ids, `killed after ${instant} ms`).toEqual(upTo(follower.ids.length))
          expect(follower.recordedTwice(cluster.notes), `killed after ${instant} ms`).toEqual([])
        }
        owner = third
        if (round < RESCUERS - 1) [rescuer, third] = await cluster.start(`m${++count}`, `m${++count}`)
      }
    },
  )
})
