import { afterEach, beforeEach, expect, it } from 'vitest'
import { DatabaseProxy } from '../support/postgres/database-proxy.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { until } from '../support/until.ts'
import { clusterOfTest, upTo } from './cluster-tests.ts'

/** What every commit of executions calls; with jobs, it is in a transaction. */
const COMMIT = /write_executions|COMMIT/

describeOnPostgres('a connection that breaks', () => {
  const test = clusterOfTest()
  let proxy: DatabaseProxy
  beforeEach(async () => {
    proxy = await DatabaseProxy.listen(test.database.url)
  })
  afterEach(() => proxy.close())

  it('between a commit and its answer repeats and loses nothing', async () => {
    const { cluster } = test
    const a = await cluster.startOne('a', { database: proxy.url })
    const b = await cluster.startOne('b')
    const ids = await a.start('long', 8)
    const retried = await a.start('flaky', 4)
    const followers = ids.map((id) => b.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(6)))
    proxy.loseAnswers(COMMIT, 5)
    await expect.poll(() => proxy.lost).toBe(5)
    await b.reached('completed', 'long', ids)
    await b.reached('completed', 'flaky', retried)
    expect(cluster.notes.begun(retried)).toHaveLength(8)
    expect(cluster.notes.begunTwice(ids)).toEqual([])
    expect(Object.fromEntries(cluster.notes.executionsByMachine(ids))).toEqual({ a: 8 })
    for (const follower of followers) {
      await follower.ended
      expect(follower.ids).toEqual(upTo(follower.ids.length))
    }
  })
})

describeOnPostgres('a start during which the connection breaks', () => {
  const test = clusterOfTest()
  let proxy: DatabaseProxy
  beforeEach(async () => {
    proxy = await DatabaseProxy.listen(test.database.url)
  })
  afterEach(() => proxy.close())

  it.each([
    ['the version of the schema is read', /newest_record|SELECT max\(/],
    ['this machine is reported', /pgboss/],
    ['the newest log is read', /FROM logs/],
    ['schedules are read', /FROM schedules/],
    ['agent runs without an end are read', /FROM agent_runs/],
  ])('while %s is continued', async (_, query) => {
    proxy.loseAnswers(query, 1)
    const machine = await test.cluster.startOne('a', { database: proxy.url })
    await until(async () => (await fetch(new URL('/readyz', machine.server.url))).ok)
    expect(proxy.lost).toBe(1)
    await machine.reached('completed', 'three', await machine.start('three', 1))
  })
})

describeOnPostgres('a machine that gets no notifications, as behind a pooler in transaction mode', () => {
  const test = clusterOfTest()
  let proxy: DatabaseProxy
  beforeEach(async () => {
    proxy = await DatabaseProxy.listen(test.database.url, { dropsNotifications: true })
  })
  afterEach(() => proxy.close())

  it('streams, suspends and takes over executions of other machines', async () => {
    const { cluster } = test
    const a = await cluster.startOne('a')
    const pooled = await cluster.startOne('pooled', { database: proxy.url })
    const [id = '', ...others] = await a.start('long', 4)
    const followers = [id, ...others].map((each) => pooled.follow('long', each))
    await followers[0]!.received(4)
    const { status } = await pooled.server.post(`/workflows/long/executions/${id}/suspend`, {
      reason: 'by hand',
    })
    expect([200, 202]).toContain(status)
    await pooled.reached('suspended', 'long', [id])
    await a.kill()
    await pooled.reached('completed', 'long', others)
    for (const follower of followers.slice(1)) {
      await follower.ended
      expect(follower.ids).toEqual(upTo(follower.ids.length))
      expect(follower.recordedTwice(cluster.notes)).toEqual([])
    }
  })
})
