import { afterEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import { EngineProcess } from './engine-process.ts'
import { sleep } from './sample-steps.ts'

const LIMIT = 3
const STARTS = 200

/** The executions that run, by machine: those of a machine that has died run no more. */
class Running {
  most = 0
  readonly ends: string[] = []
  readonly #ids = new Map<string, Set<string>>()

  workflow(machine: string) {
    const ids = new Set<string>()
    this.#ids.set(machine, ids)
    const step = andThen({
      id: 'work',
      execute: async ({ executionId }) => {
        ids.add(executionId)
        this.most = Math.max(this.most, this.count)
        await sleep(3)
        if (ids.delete(executionId) && this.#ids.has(machine)) this.ends.push(executionId)
        return machine
      },
    })
    return createWorkflow({ id: 'w', concurrency: LIMIT }, step)
  }

  get count(): number {
    return [...this.#ids.values()].reduce((sum, ids) => sum + ids.size, 0)
  }

  machinesOf(): string[] {
    return [...this.#ids].filter(([, ids]) => ids.size > 0).map(([machine]) => machine)
  }

  die(machine: string): void {
    this.#ids.delete(machine)
  }
}

/** Limits that several machines keep together, with the jobs of a real database. */
export function limitMachineTests(open: (database: string) => Promise<Store>): void {
  describe('limits of machines that share a Postgres', () => {
    const processes: EngineProcess[] = []
    afterEach(async () => {
      for (const process of processes.splice(0)) await process.dispose()
    })

    const startMachines = async (running: Running, database: string) => {
      for (const name of ['one', 'two', 'three'])
        processes.push(
          await EngineProcess.start({
            backend: { connect: open },
            database,
            workflows: [running.workflow(name)],
            options: {},
          }),
        )
      return processes as [EngineProcess, EngineProcess, EngineProcess]
    }
    const startAll = async (machines: readonly EngineProcess[]) =>
      Promise.all(
        Array.from({ length: STARTS }, (_, index) =>
          (machines[index % machines.length] as EngineProcess).startExecution(
            'w',
            {},
            { executionId: `e${index}` },
          ),
        ),
      )
    const completed = (process: EngineProcess) =>
      process.engine.queries.count({ workflowId: 'w', status: 'completed' })

    it('three machines never exceed the limit together', async () => {
      const running = new Running()
      const machines = await startMachines(running, 'limits')
      await startAll(machines)
      await until(async () => (await completed(machines[0])) === STARTS, 'all to end')
      expect(running.most).toBe(LIMIT)
      expect(new Set(running.ends).size).toBe(STARTS)
    })

    it('a machine that dies neither exceeds the limit nor keeps its places', async () => {
      const running = new Running()
      const machines = await startMachines(running, 'limits_death')
      await startAll(machines)
      await until(
        () => running.machinesOf().includes('three') && running.ends.length > 20,
        'the third to work',
      )
      running.die('three')
      await machines[2].crash()
      await until(async () => (await completed(machines[0])) === STARTS, 'all to end')
      expect(running.most).toBeLessThanOrEqual(LIMIT)
    })
  })
}
