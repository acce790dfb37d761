import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { Step } from '../../../src/workflow/step.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { gated, giving, interrupted, never, suspending } from './sample-steps.ts'

/** Waits until the record has the request to suspend. */
async function requested(process: EngineProcess, executionId: string): Promise<void> {
  await until(async () => (await process.store.executions.get(executionId))?.suspendRequest)
}

/** Suspensions that a caller requests. */
export function requestedSuspendTests(engines: Engines): void {
  it('an execution suspends before the next step, once the running step has ended', async () => {
    const { step, running, open } = gated('works')
    const process = await engines.start([
      createWorkflow({ id: 'w' }, step, andThen({ id: 'next', execute: ({ data }) => [data] })),
    ])
    const started = await process.startExecution('w')
    const { executionId } = started
    await running
    const answer = process.engine.executions.suspend({ executionId, workflowId: 'w' }, 'lunch')
    await requested(process, executionId)
    expect(await process.status(executionId)).toBe('running')
    open()
    const { status, suspension } = await answer
    expect(status).toBe('suspended')
    expect(suspension).toEqual({ suspendedAt: expect.any(String), reason: 'lunch' })
    expect(await started.result()).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'lunch', stepId: 'next', suspendedStepIndex: 1 },
    })
    expect(await process.steps(executionId)).toEqual(['works completed 1'])
    expect((await process.events(executionId)).at(-2)).toEqual({
      type: 'workflow-suspended',
      reason: 'lunch',
      stepId: 'next',
      stepIndex: 1,
      resumeSchema: null,
    })
    expect((await process.resume(executionId)).result).toEqual([1])
    expect(await process.steps(executionId)).toEqual(['works completed 1', 'next completed 1'])
  })

  it('a requested suspension has no data: resume data is neither validated nor passed on', async () => {
    const { step, running, open } = gated('works')
    const resumeSchema = z.object({ must: z.string() })
    const next = andThen({ id: 'next', resumeSchema, execute: ({ resumeData }) => resumeData ?? 'nothing' })
    const process = await engines.start([createWorkflow({ id: 'w', resumeSchema }, step, next)])
    const { executionId } = await process.startExecution('w')
    await running
    const answer = process.engine.executions.suspend({ executionId })
    await requested(process, executionId)
    open()
    expect((await answer).suspension.reason).toBe('Suspended by request')
    expect((await process.events(executionId)).at(-2)).toMatchObject({ resumeSchema: null })
    expect((await process.resume(executionId, { other: 1 })).result).toBe('nothing')
  })

  it('the pause before a retry ends at the request, and the retry runs after the resume', async () => {
    const attempts: number[] = []
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 2, delayMs: 3_600_000 },
      execute: ({ attempt }) => {
        attempts.push(attempt)
        if (attempt === 1) throw new Error('again')
        return attempt
      },
    })
    const process = await engines.start([flaky])
    const { executionId } = await process.startExecution('flaky')
    await expect.poll(() => process.story(executionId)).toContain('step-error a')
    const { status } = await process.engine.executions.suspend({ executionId })
    expect(status).toBe('suspended')
    process.clock.advance(3_600_000)
    expect(attempts).toEqual([1])
    expect((await process.resume(executionId)).result).toBe(2)
    expect(attempts).toEqual([1, 2])
  })

  it('every branch suspends, and no result of a branch is lost', async () => {
    const left = gated('left')
    const decided = createDeferred<boolean>()
    const all = createWorkflow({ id: 'all' })
      .andAll({
        id: 'g',
        steps: [
          andWhen({ id: 'w', condition: () => decided.promise, step: giving('right', 'r') }),
          left.step,
        ],
      })
      .andThen({ id: 'after', execute: ({ data }) => data })
    const process = await engines.start([all])
    const { executionId } = await process.startExecution('all')
    await left.running
    const answer = process.engine.executions.suspend({ executionId })
    await requested(process, executionId)
    decided.resolve(true)
    left.open()
    expect((await answer).status).toBe('suspended')
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'g suspended 1',
      'g/left completed 1',
      'g/w suspended 1',
    ])
    expect(await process.resume(executionId)).toMatchObject({ status: 'completed', result: ['r', 1] })
    expect((await process.story(executionId)).filter((line) => line === 'step-start left')).toHaveLength(1)
  })

  it('a child suspends with its parent', async () => {
    const { step, running, open } = gated('works')
    const child = createWorkflow({ id: 'child' }, step, giving('rest', 'child result'))
    const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: child })
    const process = await engines.start([child, parent])
    const started = await process.startExecution('parent')
    await running
    const answer = process.engine.executions.suspend({ executionId: started.executionId }, 'lunch')
    await requested(process, started.executionId)
    open()
    expect((await answer).status).toBe('suspended')
    const childId = await process.child(started.executionId)
    expect(await process.detail(childId)).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'lunch', stepId: 'rest' },
    })
    expect(await process.resume(started.executionId)).toMatchObject({
      status: 'completed',
      result: 'child result',
    })
    expect(await process.status(childId)).toBe('completed')
  })

  it('a request without a step boundary in time is pending, and suspends at the next one', async () => {
    const { step, running, open } = gated('works')
    const process = await engines.start([createWorkflow({ id: 'w' }, step, giving('next', 2))], {
      suspendWaitMs: 5,
    })
    const started = await process.startExecution('w')
    const { executionId } = started
    await running
    expect(await process.engine.executions.suspend({ executionId }, 'lunch')).toEqual({
      executionId,
      status: 'running',
      suspension: { requestedAt: expect.any(String), reason: 'lunch' },
    })
    expect(await process.status(executionId)).toBe('running')
    open()
    expect((await started.result()).suspension).toMatchObject({ reason: 'lunch', stepId: 'next' })
  })

  it('a pending request suspends in the next process after a crash', async () => {
    const workflow = createWorkflow({ id: 'w' }, interrupted('works'), giving('next', 2))
    const first = await engines.start([workflow], {
      suspendWaitMs: 5,
    })
    const { executionId } = await first.startExecution('w')
    await first.engine.executions.suspend({ executionId }, 'lunch')
    await requested(first, executionId)
    await first.crash()
    const second = await engines.next(first)
    await expect.poll(() => second.status(executionId)).toBe('suspended')
    // the interrupted step has not started again: the request came first
    expect((await second.detail(executionId)).suspension).toMatchObject({ reason: 'lunch', stepId: 'works' })
    expect((await second.resume(executionId)).result).toBe(2)
  })

  it.each(['completed', 'suspended', 'error'])(
    'a request is refused where the execution is %s',
    async (status) => {
      const steps: Record<string, Step> = {
        completed: giving('a', 1),
        suspended: suspending('a'),
        error: andThen({ id: 'a', execute: () => Promise.reject(new Error('no')) }),
      }
      const process = await engines.start([createWorkflow({ id: 'w' }, steps[status] ?? giving('none', 0))])
      const started = await process.startExecution('w')
      await started.result().catch(() => undefined)
      const { executionId } = started
      await expect(process.engine.executions.suspend({ executionId })).rejects.toMatchObject({
        code: 'not_suspendable',
        message: `Execution can't be suspended: ${executionId} is ${status}`,
      })
    },
  )

  it('a request is refused where the execution ends before a boundary, or is cancelled', async () => {
    const last = gated('last')
    const process = await engines.start([
      createWorkflow({ id: 'w' }, last.step),
      createWorkflow({ id: 'c' }, never('a')),
    ])
    const { executionId } = await process.startExecution('w')
    await last.running
    const answer = process.engine.executions.suspend({ executionId })
    answer.catch(() => undefined)
    await requested(process, executionId)
    last.open()
    await expect(answer).rejects.toMatchObject({
      code: 'not_suspendable',
      message: expect.stringMatching(/is completed$/),
    })

    const other = await process.startExecution('c')
    const waiting = process.engine.executions.suspend({ executionId: other.executionId })
    waiting.catch(() => undefined)
    await requested(process, other.executionId)
    await process.engine.executions.cancel({ executionId: other.executionId })
    await expect(waiting).rejects.toMatchObject({
      code: 'not_suspendable',
      message: expect.stringMatching(/is cancelled$/),
    })
  })
}
