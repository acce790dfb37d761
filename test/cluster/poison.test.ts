import { expect, it } from 'vitest'
import type { Machine } from '../support/cluster/machine.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { until } from '../support/until.ts'
import { clusterOfTest } from './cluster-tests.ts'

describeOnPostgres('a step that ends its process', () => {
  const test = clusterOfTest()

  // a process that ends keeps the jobs that it had for up to 60 s
  it(
    'fails after crashes with nothing else running, and the executions that ran beside it complete',
    { timeout: 400_000 },
    async () => {
      const { cluster } = test
      let machines = await cluster.start('a', 'b', 'c')
      const bystanders = (await Promise.all(machines.map((machine) => machine.start('long', 3)))).flat()
      // its process may die before it answers
      const options = { executionId: 'poison' }
      await machines[0]!.server
        .post('/workflows/poison/execute', { input: {}, options }, { Prefer: 'respond-async' })
        .catch(() => undefined)
      /** Starts machines for those that are dead, as a supervisor does, and returns the record of the execution. */
      const supervised = async () => {
        const alive: Machine[] = []
        let record: { status: string; error?: unknown } | undefined
        for (const machine of machines) {
          const found = await machine.record('poison', 'poison').catch(() => undefined)
          alive.push(found === undefined ? await cluster.startOne(machine.name) : machine)
          record ??= found
        }
        machines = alive
        return record?.status === 'error' ? record : undefined
      }
      const record = await until(supervised, 'the failure of the step', 300_000)
      expect(record.error).toMatchObject({ name: 'CrashLoopError', stepId: 'die' })
      await machines[0]!.reached('completed', 'long', bystanders)
    },
  )
})
