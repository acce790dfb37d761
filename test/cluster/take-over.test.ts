import { expect, it } from 'vitest'
import type { Cluster } from '../support/cluster/cluster.ts'
import type { Follower } from '../support/cluster/follower.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest, upTo } from './cluster-tests.ts'

describeOnPostgres('a machine that ends', () => {
  const test = clusterOfTest()

  it('by kill -9 loses nothing: others continue its executions, and readers see each event once', async () => {
    const { cluster } = test
    const [a, b, c] = await cluster.start('a', 'b', 'c')
    const ids = await a!.start('long', 12)
    const followers = ids.map((id) => b!.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(8)))
    const killedAt = await a!.kill()
    await c!.reached('completed', 'long', ids)
    await complete(followers)
    expect(recordedTwice(followers, cluster)).toEqual([])
    const takenOver = [...cluster.notes.takenOverAfter(killedAt, ids, 'a').values()]
    expect(takenOver).toHaveLength(ids.length)
    // 4 s is the promise; the rest is for machines that are busy with other tests
    expect(Math.max(...takenOver)).toBeLessThan(12_000)
    for (const id of ids)
      expect((await c!.record('long', id)).output.passed).toEqual(upTo(10).map((n) => `s${n - 1}`))
  })

  it('by SIGTERM hands its executions over, sooner than its death would be noticed', async () => {
    const { cluster } = test
    const [a, b] = await cluster.start('a', 'b')
    const ids = await a!.start('long', 12)
    const followers = ids.map((id) => b!.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(8)))
    const stoppedAt = performance.timeOrigin + performance.now()
    expect((await a!.stop()).exitCode).toBe(0)
    await b!.reached('completed', 'long', ids)
    await complete(followers)
    expect(recordedTwice(followers, cluster)).toEqual([])
    expect(cluster.notes.begunTwice(ids)).toEqual([])
    const takenOver = [...cluster.notes.takenOverAfter(stoppedAt, ids, 'a').values()]
    expect(takenOver).toHaveLength(ids.length)
    expect(Math.max(...takenOver)).toBeLessThan(2000)
  })

  it('leaves its executions to all others alike', async () => {
    const { cluster } = test
    const [a, b, c, d] = await cluster.start('a', 'b', 'c', 'd')
    const ids = await a!.start('holds', 300)
    await a!.kill()
    const others = ['b', 'c', 'd']
    const held = () => others.map((name) => cluster.notes.executionsByMachine(ids).get(name) ?? 0)
    await expect.poll(() => held().reduce((sum, count) => sum + count, 0)).toBe(300)
    // 80 to 120 is the promise
    for (const count of held()) expect(count).toBeGreaterThanOrEqual(60)
    expect(
      (await Promise.all([b, c, d].map((machine) => machine!.machines()))).map((seen) => seen.length),
    ).toEqual([3, 3, 3])
  })
})

async function complete(followers: readonly Follower[]): Promise<void> {
  for (const follower of followers) {
    await follower.ended
    expect(follower.ids).toEqual(upTo(follower.ids.length))
    expect(follower.events.at(-1)?.event.type).toBe('workflow-result')
  }
}

function recordedTwice(followers: readonly Follower[], { notes }: Cluster): string[] {
  return followers.flatMap((follower) => follower.recordedTwice(notes))
}
