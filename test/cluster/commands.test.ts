import { expect, it } from 'vitest'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest } from './cluster-tests.ts'

describeOnPostgres('commands on two machines at once', () => {
  const test = clusterOfTest()

  it('resume each execution once: one machine wins, the other answers 404', async () => {
    const { cluster } = test
    const [a, b] = await cluster.start('a', 'b')
    const ids = await a!.start('asks', 50)
    await b!.reached('suspended', 'asks', ids)
    const resume = async (machine: typeof a, id: string) =>
      (await machine!.server.post(`/workflows/asks/executions/${id}/resume`, { resumeData: { yes: true } }))
        .status
    const answers = await Promise.all(ids.map((id) => Promise.all([resume(a, id), resume(b, id)])))
    expect(answers.filter((pair) => pair.toSorted().join(' ') !== '200 404')).toEqual([])
    expect(cluster.notes.begunTwice(ids)).toEqual([])
    await a!.reached('completed', 'asks', ids)
  })
})
