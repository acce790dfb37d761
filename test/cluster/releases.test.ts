import { expect, it } from 'vitest'
import { CLUSTER_FILES } from '../support/cluster/cluster-files.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest } from './cluster-tests.ts'

/** A release without the workflow `flaky`. */
const NEW_RELEASE = {
  'agentserver.config.ts': CLUSTER_FILES['agentserver.config.ts'].replace(
    'workflows: [asks, blocks, flaky,',
    'workflows: [asks, blocks,',
  ),
}

describeOnPostgres('machines of two releases', () => {
  const test = clusterOfTest()

  it('serve beside each other; an execution is continued where its workflow exists, and waits until it does', async () => {
    const { cluster } = test
    const old = await cluster.startOne('old')
    const new1 = await cluster.startOne('new1', { files: NEW_RELEASE })
    const releases = (await new1.machines()).map(({ release }) => release)
    expect(new Set(releases).size).toBe(2)
    const long = await old.start('long', 3)
    const flaky = await old.start('flaky', 3)
    await expect.poll(() => cluster.notes.begun(flaky).length).toBe(3)
    await old.kill()
    await new1.reached('completed', 'long', long)
    for (const id of flaky) expect(await new1.status('flaky', id)).toBe('running')
    const old2 = await cluster.startOne('old2')
    await old2.reached('completed', 'flaky', flaky)
    expect([...cluster.notes.executionsByMachine(flaky).keys()].toSorted()).toEqual(['old', 'old2'])
  })

  it('continue the executions of a dead machine on one of its own release, where one is alive', async () => {
    const { cluster } = test
    const dead = await cluster.startOne('dead')
    await cluster.startOne('newer', { files: NEW_RELEASE })
    const own = await cluster.startOne('own')
    const long = await dead.start('long', 12)
    await expect.poll(() => cluster.notes.begun(long).length).toBeGreaterThanOrEqual(12)
    await dead.kill()
    await own.reached('completed', 'long', long)
    expect([...cluster.notes.executionsByMachine(long).keys()].toSorted()).toEqual(['dead', 'own'])
  })
})
