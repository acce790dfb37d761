import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andSleep } from '../../../src/workflow/steps/and-sleep.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWaitForEvent } from '../../../src/workflow/steps/and-wait-for-event.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, suspending } from './sample-steps.ts'

const DAY_MS = 86_400_000

/** The `timeout` of a workflow. */
export function timeoutTests(engines: Engines): void {
  /** Lets time go by, and does the job of an execution, as its dispatcher does at that time. */
  const timeOut = async (process: EngineProcess, id: string) => {
    process.clock.advance(3 * DAY_MS)
    const job = { kind: 'time-out', id } as const
    await process.store.dispatcher.change({ add: [{ key: `now:${id}`, job }] })
  }
  const failed = async (process: EngineProcess, id: string) => {
    await expect.poll(() => process.status(id)).toBe('error')
    return process.detail(id)
  }
  const ERROR = {
    name: 'WorkflowTimeoutError',
    message: 'The execution did not end within its timeout of 3d',
  }

  it('an execution whose workflow this server does not have is left to one that has it', async () => {
    const undone: string[] = []
    const flow = createWorkflow({ id: 'w', timeout: '3d' })
      .andThen({ id: 'charge', execute: () => 'paid', compensate: (result) => void undone.push(result) })
      .andThen({ id: 'ask', execute: ({ suspend }) => suspend('ask') })
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    process.reload([])
    await timeOut(process, executionId)
    await process.store.dispatcher.settled()
    expect(await process.status(executionId)).toBe('suspended')
    process.reload([flow])
    await timeOut(process, executionId)
    expect(await failed(process, executionId)).toMatchObject({ compensation: 'completed' })
    expect(undone).toEqual(['paid'])
  })

  it.each([
    ['is suspended', createWorkflow({ id: 'w', timeout: '3d' }, giving('a', 1), suspending('ask'))],
    ['sleeps', createWorkflow({ id: 'w', timeout: '3d' }, andSleep({ id: 'nap', for: '7d' }))],
    [
      'waits for an event',
      createWorkflow({ id: 'w', timeout: '3d' }, andWaitForEvent({ id: 'paid', event: 'paid' })),
    ],
    [
      'is a suspended function',
      createWorkflow({ id: 'w', timeout: '3d', run: async ({ step }) => step.suspend('ask') }),
    ],
  ])('an execution that %s ends at its timeout', async (_, workflow) => {
    const process = await engines.start([workflow])
    const { executionId } = await process.execute('w')
    const { createdAt, timesOutAt = '' } = await process.detail(executionId)
    expect(Date.parse(timesOutAt) - Date.parse(createdAt)).toBe(3 * DAY_MS)
    const jobs = process.store.jobs.flatMap(({ add = [] }) => add)
    expect(jobs).toContainEqual({
      key: `time-out:${executionId}`,
      job: { kind: 'time-out', id: executionId },
      at: Date.parse(timesOutAt),
    })
    await timeOut(process, executionId)
    expect((await failed(process, executionId)).error).toEqual(ERROR)
    expect((await process.story(executionId)).slice(-2)).toEqual(['workflow-error', 'workflow-result'])
    await expect(process.resume(executionId, 1)).rejects.toMatchObject({ code: 'not_resumable' })
  })

  it('the signal of a running step aborts at the timeout, and its caller gets the error', async () => {
    const aborted = createDeferred<unknown>()
    const process = await engines.start([
      createWorkflow({ id: 'w', timeout: '3d' }).andThen({
        id: 'long',
        execute: ({ signal }) =>
          new Promise<string>(() => {
            signal.addEventListener('abort', () => aborted.resolve(signal.reason))
          }),
      }),
    ])
    const { executionId, result } = await process.startExecution('w')
    const response = result().catch((error: unknown) => error)
    await process.recorded(executionId, 'long', 'running')
    await timeOut(process, executionId)
    expect(await response).toMatchObject({ code: 'execution_failed', cause: ERROR })
    expect(await aborted.promise).toMatchObject({ message: ERROR.message })
    expect(await process.steps(executionId)).toEqual(['long cancelled 1'])
  })

  it.each([
    ['runs', createWorkflow({ id: 'w', timeout: '3d' }, never('long'))],
    ['is suspended', createWorkflow({ id: 'w', timeout: '3d' }, suspending('long'))],
    [
      'is suspended after a step with a compensation',
      createWorkflow(
        { id: 'w', timeout: '3d' },
        andThen({ id: 'charge', execute: () => 1, compensate: () => undefined }),
        suspending('long'),
      ),
    ],
  ])('the timeout of an execution that %s is logged once, as a failure', async (_, workflow) => {
    const process = await engines.start([workflow])
    const { executionId, result } = await process.startExecution('w')
    result().catch(() => undefined)
    await process.reached(executionId, 'long')
    await timeOut(process, executionId)
    await failed(process, executionId)
    const lines = () => process.logs.filter((line) => JSON.stringify(line).includes(ERROR.message))
    await expect
      .poll(lines)
      .toEqual([
        expect.objectContaining({ msg: 'Execution failed', executionId, workflowId: 'w', level: 50 }),
      ])
    // and the job has nothing more to say
    await process.store.dispatcher.settled()
    expect(lines()).toHaveLength(1)
  })

  it('an execution that is queued ends at its timeout, which counts from its start', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w', timeout: '3d', concurrency: 1 }, never('long')),
    ])
    const first = await process.startExecution('w')
    await process.recorded(first.executionId, 'long', 'running')
    const second = await process.startExecution('w')
    expect((await process.detail(second.executionId)).waiting).toMatchObject({ reason: 'concurrency' })
    await timeOut(process, second.executionId)
    expect((await failed(process, second.executionId)).error).toEqual(ERROR)
    expect(await process.steps(second.executionId)).toEqual([])
    expect(await process.status(first.executionId)).toBe('running')
  })

  it('completed steps are compensated at the timeout, of a chain and of a function', async () => {
    const log: unknown[] = []
    const compensate = (result: string, { reason }: { reason: string }) => void log.push([result, reason])
    const process = await engines.start([
      createWorkflow(
        { id: 'chain', timeout: '3d' },
        andThen({ id: 'charge', execute: () => 'c1', compensate }),
        suspending('ask'),
      ),
      createWorkflow({
        id: 'function',
        timeout: '3d',
        run: async ({ step }) => {
          await step.run('charge', () => 'c2', { compensate })
          return step.suspend('ask')
        },
      }),
    ])
    for (const id of ['chain', 'function']) {
      const { executionId } = await process.execute(id)
      await timeOut(process, executionId)
      expect(await failed(process, executionId)).toMatchObject({ error: ERROR, compensation: 'completed' })
      expect(await process.events(executionId)).toContainEqual(
        expect.objectContaining({ type: 'workflow-compensating', reason: 'timeout' }),
      )
    }
    expect(log).toEqual([
      ['c1', 'timeout'],
      ['c2', 'timeout'],
    ])
  })

  it('an execution whose time is over while no process runs ends when the next one starts', async () => {
    const runs: string[] = []
    const ended: unknown[] = []
    const workflow = createWorkflow(
      { id: 'w', timeout: '3d', onEnd: ({ status, error }) => void ended.push([status, error?.name]) },
      suspending('ask'),
      andThen({ id: 'last', execute: () => runs.push('last') }),
    )
    const before = await engines.start([workflow])
    const { executionId } = await before.execute('w')
    await before.crash()
    before.clock.advance(3 * DAY_MS)
    const after = await engines.next(before)
    // Postgres decides by its own clock when a job is due
    await timeOut(after, executionId)
    expect((await failed(after, executionId)).error).toEqual(ERROR)
    await expect.poll(() => ended).toEqual([['error', 'WorkflowTimeoutError']])
    expect(runs).toEqual([])
  })

  it('an execution that ends before drops its job, and its compensations are not timed out', async () => {
    const undone = createDeferred<void>()
    const process = await engines.start([
      createWorkflow(
        { id: 'w', timeout: '3d' },
        andThen({ id: 'charge', execute: () => 'c1', compensate: () => undone.promise }),
        suspending('ask'),
      ),
      createWorkflow({ id: 'short', timeout: '3d' }, giving('a', 1)),
    ])
    const done = await process.execute('short')
    const dropped = process.store.jobs.flatMap(({ drop = [] }) => drop)
    expect(dropped).toContain(`time-out:${done.executionId}`)
    const { executionId } = await process.execute('w')
    const cancelled = process.cancel(executionId)
    await process.reached(executionId, 'charge:compensate')
    await timeOut(process, executionId)
    undone.resolve()
    expect(await cancelled).toMatchObject({ status: 'cancelled', compensation: 'completed' })
  })

  it('a replay has the whole time again', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w', timeout: '3d' }, giving('a', 1), suspending('ask')),
    ])
    const { executionId } = await process.execute('w')
    process.clock.advance(DAY_MS)
    const options = { decider: CODE_DECIDES }
    const replay = await process.engine.executions.replay({ executionId }, 'ask', options)
    await replay.result()
    const [one, other] = [await process.detail(executionId), await process.detail(replay.executionId)]
    expect(Date.parse(other.timesOutAt ?? '') - Date.parse(one.timesOutAt ?? '')).toBeGreaterThanOrEqual(
      DAY_MS,
    )
  })

  it('a child has no time of its parent, and is cancelled with it', async () => {
    const child = createWorkflow({ id: 'child' }, suspending('ask')) as WorkflowDefinition
    const process = await engines.start([
      child,
      createWorkflow({ id: 'w', timeout: '3d' }, andWorkflow({ id: 'sub', workflow: child })),
    ])
    const { executionId } = await process.execute('w')
    const childId = await process.child(executionId)
    expect(await process.detail(childId)).not.toHaveProperty('timesOutAt')
    await timeOut(process, executionId)
    await failed(process, executionId)
    await expect.poll(() => process.status(childId)).toBe('cancelled')
  })

  it('the timeout of a child fails its step in the parent', async () => {
    const child = createWorkflow({ id: 'child', timeout: '3d' }, suspending('ask')) as WorkflowDefinition
    const process = await engines.start([
      child,
      createWorkflow({ id: 'w' }, andWorkflow({ id: 'sub', workflow: child })),
    ])
    const { executionId } = await process.execute('w')
    await timeOut(process, await process.child(executionId))
    expect((await failed(process, executionId)).error).toMatchObject({ ...ERROR, stepId: 'sub' })
  })
}
