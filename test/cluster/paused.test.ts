import { expect, it } from 'vitest'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest, upTo } from './cluster-tests.ts'

describeOnPostgres('a machine that pauses', () => {
  const test = clusterOfTest()

  it('(SIGSTOP) abandons what others took over, and takes new executions when it runs again', async () => {
    const { cluster } = test
    const [a, b] = await cluster.start('a', 'b')
    const ids = await a!.start('long', 6)
    const followers = ids.map((id) => b!.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(6)))
    a!.server.signal('SIGSTOP')
    await expect.poll(() => cluster.notes.executionsByMachine(ids).get('b')).toBe(6)
    a!.server.signal('SIGCONT')
    await b!.reached('completed', 'long', ids)
    for (const follower of followers) {
      await follower.ended
      expect(follower.ids).toEqual(upTo(follower.ids.length))
      // what one machine recorded is what all see
      expect(await a!.record('long', follower.executionId)).toEqual(
        await b!.record('long', follower.executionId),
      )
    }
    await expect.poll(async () => (await b!.machines()).length).toBe(2)
    const more = await a!.start('long', 2)
    await b!.reached('completed', 'long', more)
    expect([...cluster.notes.executionsByMachine(more).keys()]).toEqual(['a'])
  })

  it('(a blocked event loop) loses its execution to another, and its late result is not recorded', async () => {
    const { cluster } = test
    const [a, b] = await cluster.start('a', 'b')
    const [id = ''] = await a!.start('blocks', 1)
    await b!.reached('completed', 'blocks', [id])
    expect((await b!.record('blocks', id)).output).toEqual({ by: 'b' })
    // it runs again when its loop is free
    await expect.poll(async () => a!.status('blocks', id)).toBe('completed')
    const begun = cluster.notes
      .begun([id])
      .map(({ machine, step, attempt }) => `${machine} ${step} ${attempt}`)
    expect(begun.filter((note) => !note.startsWith('a after'))).toEqual([
      'a block 1',
      'b block 2',
      'b after 1',
    ])
    expect((await a!.record('blocks', id)).output).toEqual({ by: 'b' })
    await expect.poll(async () => (await b!.machines()).length).toBe(2)
    await b!.reached('completed', 'three', await a!.start('three', 1))
  })
})
