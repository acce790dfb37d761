import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from '../../../test/support/cluster/cluster.ts'
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'
import type { Measurement } from '../report.ts'

/** Postgres stopped for 2, 6 and 30 s while executions run on two machines. */
export async function outages(cluster: Cluster, postgres: PostgresServer): Promise<Measurement[]> {
  const [a, b] = await cluster.start('a', 'b')
  const measurements: Measurement[] = []
  for (const seconds of [2, 6, 30]) {
    const ids = (await Promise.all([a!, b!].map((machine) => machine.start('long', 8)))).flat()
    const followers = ids.map((id) => b!.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(6)))
    await postgres.stop()
    await wait(seconds * 1000)
    await postgres.start()
    const backAt = performance.now()
    await a!.reached('completed', 'long', ids)
    const doneIn = performance.now() - backAt
    const moved =
      [...cluster.notes.executionsByMachine(ids).values()].reduce((sum, count) => sum + count, 0) - ids.length
    measurements.push(
      {
        name: `Postgres away for ${seconds} s: all completed after its return`,
        measured: doneIn / 1000,
        unit: 's',
        bar: { atMost: 5 },
        note: 'of which up to 1.6 s are steps',
      },
      { name: '… executions moved', measured: moved, unit: '', bar: { atMost: 0 } },
      {
        name: '… steps run twice',
        measured: cluster.notes.begunTwice(ids).length,
        unit: '',
        bar: { atMost: 0 },
      },
    )
  }
  return measurements
}
