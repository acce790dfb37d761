import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andSleep } from '../../../src/workflow/steps/and-sleep.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, suspending } from './sample-steps.ts'

const HOUR_MS = 3_600_000
const END = { id: 'end', execute: () => 'awake' } as const

/** andSleep, andSleepUntil and suspendTimeout. */
export function sleepTests(engines: Engines): void {
  /** Does the wake job of an execution now, as its dispatcher does when the system clock reaches its time. */
  const wake = (process: EngineProcess, id: string) =>
    process.store.dispatcher.change({ add: [{ key: `now:${id}`, job: { kind: 'wake', id, sequence: 0 } }] })
  const advanceTo = async (process: EngineProcess, ms: number, id: string) => {
    process.clock.advance(ms)
    await wake(process, id)
  }
  const settled = (process: EngineProcess, id: string, status: string) =>
    until(async () => (await process.status(id)) === status, `${id} to be ${status}`)

  it('a short sleep waits in place, and passes the data on', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('a', { n: 1 })).andSleep({ id: 'nap', for: '5ms' }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toEqual({ n: 1 })
    expect(await process.steps(executionId)).toEqual(['a completed 1', 'nap completed 1'])
    expect(process.store.jobs).toEqual([])
  })

  it('a long sleep suspends the execution until its time', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andSleep({ id: 'nap', for: '1h' }).andThen(END),
    ])
    const { executionId, status, suspension } = await process.execute('w')
    expect({ status, reason: suspension?.reason, stepId: suspension?.stepId }).toEqual({
      status: 'suspended',
      reason: 'sleeping',
      stepId: 'nap',
    })
    const [job] = process.store.jobs.flatMap(({ add = [] }) => add)
    expect(suspension?.wakeAt).toBe(new Date(job?.at ?? 0).toISOString())
    expect(process.engine.running.size).toBe(0)
    await advanceTo(process, HOUR_MS, executionId)
    await settled(process, executionId, 'completed')
    expect((await process.detail(executionId)).output).toBe('awake')
    expect(await process.story(executionId)).toEqual([
      'workflow-start',
      'step-start nap',
      'workflow-suspended',
      'workflow-result',
      'workflow-resumed',
      'step-complete nap',
      'step-start end',
      'step-complete end',
      'workflow-complete',
      'workflow-result',
    ])
  })

  it('memory has nothing of executions that sleep', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }).andSleep({ id: 'nap', for: '30d' })])
    const timers = () => globalThis.process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    const before = timers()
    await Promise.all(Array.from({ length: 100 }, () => process.execute('w')))
    expect(process.holds).toBe(0)
    expect(timers() - before).toBeLessThan(50)
  })

  it('a sleep that ended while no process ran wakes at the next start', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' })
        .andSleepUntil({
          id: 'nap',
          until: ({ input }) => new Date((input as { at: number }).at),
        })
        .andThen(END),
    ])
    const { executionId } = await process.execute('w', { at: process.clock.now() + HOUR_MS })
    await process.crash()
    process.clock.advance(HOUR_MS)
    const next = await engines.next(process)
    await wake(next, executionId)
    await settled(next, executionId, 'completed')
    expect((await next.detail(executionId)).output).toBe('awake')
  })

  it('a resume wakes a sleeping execution early, and its job is dropped', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w', resumeSchema: { type: 'object', required: ['x'] } })
        .andSleep({ id: 'nap', for: '1h' })
        .andThen(END),
    ])
    const { executionId } = await process.execute('w')
    expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: 'awake' })
    expect(process.store.jobs.flatMap(({ drop = [] }) => drop)).toEqual([`wake:${executionId}:nap`])
  })

  it('a wake before its time, or after the execution has gone on, changes nothing', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andSleep({ id: 'nap', for: '1h' }).andThen(END),
    ])
    const { executionId } = await process.execute('w')
    await wake(process, executionId)
    const other = await process.execute('w')
    expect(await process.status(executionId)).toBe('suspended')
    await process.resume(executionId)
    await advanceTo(process, HOUR_MS, executionId)
    await advanceTo(process, 0, other.executionId)
    await settled(process, other.executionId, 'completed')
    expect((await process.story(executionId)).filter((one) => one === 'workflow-resumed')).toHaveLength(1)
  })

  it('branches sleep each for its own time', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          andSleep({ id: 'long', for: '2h' }),
          andSleep({ id: 'short', for: '1h' }),
          giving('quick', 'done'),
        ],
      }),
    ])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('suspended')
    await advanceTo(process, HOUR_MS, executionId)
    await process.recorded(executionId, 'all/short', 'completed')
    await settled(process, executionId, 'suspended')
    expect(await process.steps(executionId)).toContain('all/long suspended 1')
    await advanceTo(process, HOUR_MS, executionId)
    await settled(process, executionId, 'completed')
  })

  it('a sleep wins a race against a step that takes longer, and one that is asleep loses to a faster step', async () => {
    const gate = createDeferred<string>()
    const slow = andThen({ id: 'slow', execute: () => gate.promise })
    const process = await engines.start([
      createWorkflow({ id: 'late' }).andRace({
        id: 'race',
        steps: [never('stuck'), andSleep({ id: 'limit', for: '1h' })],
      }),
      createWorkflow({ id: 'fast' }).andRace({
        id: 'race',
        steps: [slow, andSleep({ id: 'limit', for: '1h' })],
      }),
    ])
    const late = await process.startExecution('late', { n: 1 })
    await process.reached(late.executionId, 'race/limit')
    await advanceTo(process, HOUR_MS, late.executionId)
    expect((await late.result()).result).toEqual({ n: 1 })
    const fast = await process.startExecution('fast')
    await process.reached(fast.executionId, 'race/limit')
    gate.resolve('fast')
    expect((await fast.result()).result).toBe('fast')
    expect(await process.steps(fast.executionId)).toContain('race/limit cancelled 1')
    expect(process.store.jobs.flatMap(({ drop = [] }) => drop)).toContain(
      `wake:${fast.executionId}:race/limit`,
    )
  })

  it('a sleeping child wakes with the parent that waits for it', async () => {
    const child = createWorkflow({ id: 'child' }).andSleep({ id: 'nap', for: '1h' }).andThen(END)
    const process = await engines.start([
      child,
      createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: child, input: () => ({}) }),
    ])
    const { executionId, suspension } = await process.execute('parent')
    expect(suspension).toMatchObject({ reason: 'sleeping', wakeAt: expect.any(String) })
    await advanceTo(process, HOUR_MS, await process.child(executionId))
    await settled(process, executionId, 'completed')
    expect((await process.detail(executionId)).output).toBe('awake')
  })

  it('a cancelled sleep wakes no more', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }).andSleep({ id: 'nap', for: '1h' })])
    const { executionId } = await process.execute('w')
    await process.engine.executions.cancel({ executionId })
    await advanceTo(process, HOUR_MS, executionId)
    expect(process.store.jobs.flatMap(({ drop = [] }) => drop)).toEqual([`wake:${executionId}:nap`])
    expect(await process.status(executionId)).toBe('cancelled')
  })

  it('a function that chooses no duration and no time fails the step', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'for' }).andSleep({ id: 'nap', for: () => '-1h' }),
      createWorkflow({ id: 'until' }).andSleepUntil({ id: 'nap', until: () => 'tomorrow' }),
    ])
    expect((await process.executeFailing('for')).error).toMatchObject({
      stepId: 'nap',
      message: expect.stringContaining('the result of for must be milliseconds, or a text such as'),
    })
    expect((await process.executeFailing('until')).error?.message).toContain(
      'the result of until must be a Date',
    )
  })

  it('a step that is not resumed within its time goes on without data', async () => {
    const ask = andThen({
      id: 'ask',
      suspendTimeout: '7d',
      execute: ({ resumeData, timedOut, suspend }) =>
        timedOut ? 'late' : (resumeData ?? suspend('approve')),
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, ask)])
    const first = await process.execute('w')
    expect(first.suspension).toMatchObject({ reason: 'approve', wakeAt: expect.any(String) })
    expect(await process.resume(first.executionId, 'yes')).toMatchObject({ result: 'yes' })
    const { executionId } = await process.execute('w')
    await advanceTo(process, 7 * 24 * HOUR_MS, executionId)
    await settled(process, executionId, 'completed')
    expect((await process.detail(executionId)).output).toBe('late')
  })

  it('a step without a time waits on while another branch of its execution sleeps', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andSleep({ id: 'nap', for: '1h' }), suspending('ask')],
      }),
    ])
    const { executionId } = await process.execute('w')
    await advanceTo(process, HOUR_MS, executionId)
    await process.recorded(executionId, 'all/nap', 'completed')
    await settled(process, executionId, 'suspended')
    expect((await process.detail(executionId)).suspension).toMatchObject({ stepId: 'ask' })
    expect(await process.resume(executionId, 'ok')).toMatchObject({ status: 'completed', result: [{}, 'ok'] })
  })
}
