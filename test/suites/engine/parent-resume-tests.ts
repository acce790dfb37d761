import { expect, it, vi } from 'vitest'
import type { ExecutionWrite } from '../../../src/store/execution-store.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { turns } from '../../support/turns.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { gated, suspending } from './sample-steps.ts'

const asks = createWorkflow({ id: 'asks' }, suspending('q'))
const middle = createWorkflow({ id: 'middle' }).andWorkflow({ id: 'down', workflow: asks })
const outer = createWorkflow({ id: 'outer' }).andWorkflow({ id: 'down', workflow: middle })

/** Resuming a child together with the parents that wait for it. */
export function parentResumeTests(engines: Engines): void {
  /** The ids of a suspended execution and of the suspended ones inside it, the outer one first. */
  async function suspendedChain(process: EngineProcess): Promise<[string, string, string]> {
    const { executionId } = await process.execute('outer')
    const inner = await process.child(executionId)
    return [executionId, inner, await process.child(inner)]
  }

  async function resumeData(process: EngineProcess, id: string): Promise<unknown[]> {
    const events = await process.events(id)
    return events.filter(({ type }) => type === 'workflow-resumed').map((event) => event['resumeData'])
  }

  it('a child and its parents are resumed in one write', async () => {
    const process = await engines.start([asks, middle, outer])
    const ids = await suspendedChain(process)
    const writes: (readonly ExecutionWrite[])[] = []
    process.store.refuse((batch) => {
      writes.push(batch)
      return false
    })
    expect((await process.resume(ids[0], 'yes')).result).toBe('yes')
    const resumed = writes.map((batch) => batch.flatMap((write) => [write, ...(write.together ?? [])]))
    expect(resumed[0]?.map(({ id }) => id)).toEqual(ids.toReversed())
    for (const id of ids) expect(await resumeData(process, id)).toEqual(['yes'])
  })

  it('when a parent cannot be stored, its child is not resumed either, and both can be resumed later', async () => {
    const process = await engines.start([asks, middle, outer])
    const ids = await suspendedChain(process)
    process.store.refuse((batch) =>
      batch.some(({ id, together = [] }) => [id, ...together.map((write) => write.id)].includes(ids[0])),
    )
    await expect(process.resume(ids[2], 'lost')).rejects.toThrow('could not be stored')
    for (const id of ids) expect(await process.status(id)).toBe('suspended')
    process.store.recover()
    expect((await process.resume(ids[2], 'yes')).result).toBe('yes')
    for (const id of ids) await expect.poll(() => process.status(id)).toBe('completed')
    for (const id of ids) expect(await resumeData(process, id)).toEqual(['yes'])
  })

  it('the data of a resume reaches the parents of a child that ends immediately', async () => {
    const process = await engines.start([asks, middle, outer])
    const ids = await suspendedChain(process)
    // the store is slow to read the parent, so that the child could end first
    const store = { ...process.store.executions }
    vi.spyOn(process.store.executions, 'history')
      .mockImplementationOnce((id) => store.history(id))
      .mockImplementationOnce(async (id) => {
        await turns(50)
        return store.history(id)
      })
    await process.resume(ids[2], 'yes')
    for (const id of ids) await expect.poll(() => process.status(id)).toBe('completed')
    for (const id of ids) expect(await resumeData(process, id)).toEqual(['yes'])
  })

  it.each(['resumed', 'cancelled'])(
    'a parent whose child is %s while its other branch runs continues when that branch has ended',
    async (change) => {
      const gate = gated('gate')
      const both = createWorkflow({ id: 'both' }).andAll({
        id: 'all',
        steps: [andWorkflow({ id: 'down', workflow: asks }), gate.step],
      })
      const process = await engines.start([asks, both])
      const { executionId } = await process.startExecution('both')
      const childId = await process.child(executionId)
      await expect.poll(() => process.status(childId)).toBe('suspended')
      await gate.running
      if (change === 'resumed') await process.resume(childId, 'yes')
      else await process.engine.executions.cancel({ executionId: childId })
      expect(await process.status(executionId)).toBe('running')
      gate.open()
      await expect.poll(() => process.status(executionId)).toBe(change === 'resumed' ? 'completed' : 'error')
    },
  )

  it('a parent whose process dies before it sees that its child has ended is resumed by a job', async () => {
    const gate = gated('gate')
    const both = createWorkflow({ id: 'both' }).andAll({
      id: 'all',
      steps: [andWorkflow({ id: 'down', workflow: asks }), gate.step],
    })
    const process = await engines.start([asks, both])
    const { executionId } = await process.startExecution('both')
    const childId = await process.child(executionId)
    await expect.poll(() => process.status(childId)).toBe('suspended')
    await gate.running
    expect((await process.resume(childId, 'yes')).status).toBe('completed')
    const read = vi.spyOn(process.store.executions, 'get').mockReturnValue(new Promise(() => undefined))
    gate.open()
    await until(() => read.mock.calls.some(([id]) => id === childId), 'the process to look at the child')
    const [check] = process.store.jobs.flatMap(({ add = [] }) => add)
    expect(check).toMatchObject({ job: { kind: 'wake', id: executionId }, at: expect.any(Number) })
    await process.crash()
    const next = await engines.next(process)
    expect(await next.status(executionId)).toBe('suspended')
    await next.store.dispatcher.change({ add: [{ key: 'now', job: check!.job }] })
    await until(async () => (await next.status(executionId)) === 'completed')
    expect(await resumeData(next, executionId)).toEqual(['yes'])
  })

  it('a parent stays suspended as long as its child is, whatever job looks', async () => {
    const process = await engines.start([asks, middle, outer])
    const ids = await suspendedChain(process)
    const done = vi.spyOn(process.store.server!, 'run')
    for (const id of ids) {
      const sequence = await process.store.executions.lastSequence(id)
      await process.store.dispatcher.change({ add: [{ key: id, job: { kind: 'wake', id, sequence } }] })
    }
    await until(() => done.mock.results.length === 3)
    expect(await Promise.all(done.mock.results.map(({ value }) => value as unknown))).toEqual([
      'done',
      'done',
      'done',
    ])
    for (const id of ids) expect(await process.status(id)).toBe('suspended')
  })
}
