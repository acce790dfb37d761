import { expect, it } from 'vitest'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { clusterOfTest } from './cluster-tests.ts'

describeOnPostgres('a step that kills its process', () => {
  const test = clusterOfTest()

  // the second and third take-over wait up to 15 and 60 s
  it(
    'fails after three crashes, and the executions that ran beside it complete',
    { timeout: 240_000 },
    async () => {
      const { cluster } = test
      const machines = await cluster.start('a', 'b', 'c', 'd')
      const bystanders = (await Promise.all(machines.map((machine) => machine.start('long', 3)))).flat()
      const [d] = machines.slice(-1)
      // its process may die before it answers
      const options = { executionId: 'poison' }
      await machines[0]!.server
        .post('/workflows/poison/execute', { input: {}, options }, { Prefer: 'respond-async' })
        .catch(() => undefined)
      const alive = async () => {
        for (const machine of machines) {
          const record = await machine.record('poison', 'poison').catch(() => undefined)
          if (record !== undefined) return { machine, record }
        }
        throw new Error(`No machine is alive: ${d!.server.stderr}`)
      }
      await expect
        .poll(async () => (await alive()).record.status, { timeout: 150_000, interval: 100 })
        .toBe('error')
      const { machine, record } = await alive()
      expect(record.error).toMatchObject({ name: 'CrashLoopError', stepId: 'die' })
      expect(cluster.notes.begun(['poison'])).toHaveLength(3)
      await machine.reached('completed', 'long', bystanders)
    },
  )
})
