import { expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { Step } from '../../../src/workflow/step.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, sleep, suspending } from './sample-steps.ts'

/** A step that runs until it is let go, to ask for something while it runs. */
function gated(id: string) {
  let open: () => void = () => undefined
  let reached: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const running = new Promise<void>((resolve) => (reached = resolve))
  let runs = 0
  const step = andThen({
    id,
    execute: async () => {
      reached()
      await gate
      return ++runs
    },
  })
  return { step, running, open: () => open() }
}

/** Suspension that somebody else asks for. */
export function outsideSuspendTests(engines: Engines): void {
  it('parks at the next step, after the running one has finished', async () => {
    const { step, running, open } = gated('works')
    const process = await engines.start([
      createWorkflow({ id: 'w' }, step, andThen({ id: 'next', execute: ({ data }) => [data] })),
    ])
    const started = await process.begin('w')
    const { executionId } = started
    await running
    const answer = process.engine.executions.suspend({ executionId, workflowId: 'w' }, 'lunch')
    await sleep(5)
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

  it('asks nothing: what it is resumed with is neither checked nor passed on', async () => {
    const { step, running, open } = gated('works')
    const resumeSchema = z.object({ must: z.string() })
    const next = andThen({ id: 'next', resumeSchema, execute: ({ resumeData }) => resumeData ?? 'nothing' })
    const process = await engines.start([createWorkflow({ id: 'w', resumeSchema }, step, next)])
    const { executionId } = await process.begin('w')
    await running
    const answer = process.engine.executions.suspend({ executionId })
    open()
    expect((await answer).suspension.reason).toBe('Suspended by request')
    expect((await process.events(executionId)).at(-2)).toMatchObject({ resumeSchema: null })
    expect((await process.resume(executionId, { other: 1 })).result).toBe('nothing')
  })

  it('ends the wait before a retry, which then goes on after the resume', async () => {
    const attempts: number[] = []
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 2, delayMs: 40 },
      execute: ({ attempt }) => {
        attempts.push(attempt)
        if (attempt === 1) throw new Error('again')
        return attempt
      },
    })
    const process = await engines.start([flaky])
    const { executionId } = await process.begin('flaky')
    await sleep(5)
    const began = performance.now()
    const { status } = await process.engine.executions.suspend({ executionId })
    expect(status).toBe('suspended')
    expect(performance.now() - began).toBeLessThan(30)
    await sleep(45)
    expect(attempts).toEqual([1])
    expect((await process.resume(executionId)).result).toBe(2)
    expect(attempts).toEqual([1, 2])
  })

  it('reaches every branch, and loses none of their results', async () => {
    const left = gated('left')
    const all = createWorkflow({ id: 'all' })
      .andAll({
        id: 'g',
        steps: [
          andWhen({ id: 'w', condition: async () => (await sleep(5), true), step: giving('right', 'r') }),
          left.step,
        ],
      })
      .andThen({ id: 'after', execute: ({ data }) => data })
    const process = await engines.start([all])
    const { executionId } = await process.begin('all')
    await left.running
    const answer = process.engine.executions.suspend({ executionId })
    await sleep(12)
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

  it('parks a child with its parent', async () => {
    const { step, running, open } = gated('works')
    const child = createWorkflow({ id: 'child' }, step, giving('rest', 'child result'))
    const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'down', workflow: child })
    const process = await engines.start([child, parent])
    const started = await process.begin('parent')
    await running
    const answer = process.engine.executions.suspend({ executionId: started.executionId }, 'lunch')
    open()
    expect((await answer).status).toBe('suspended')
    const [childId = ''] = await process.children(started.executionId)
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

  it('answers what is pending where no boundary comes soon, and parks there later', async () => {
    const { step, running, open } = gated('works')
    const process = await engines.start([createWorkflow({ id: 'w' }, step, giving('next', 2))], {
      suspendWaitMs: 5,
    })
    const started = await process.begin('w')
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

  it('honours a pending request in the process that comes after a crash', async () => {
    const step = andThen({
      id: 'works',
      execute: ({ attempt }) => (attempt === 1 ? new Promise(() => undefined) : 'done'),
    })
    const first = await engines.start([createWorkflow({ id: 'w' }, step, giving('next', 2))], {
      suspendWaitMs: 5,
    })
    const { executionId } = await first.begin('w')
    await first.engine.executions.suspend({ executionId }, 'lunch')
    await first.crash()
    const second = await engines.next(first)
    await expect.poll(() => second.status(executionId)).toBe('suspended')
    // the step that was cut short has not begun again: the request came first
    expect((await second.detail(executionId)).suspension).toMatchObject({ reason: 'lunch', stepId: 'works' })
    expect((await second.resume(executionId)).result).toBe(2)
  })

  it.each(['completed', 'suspended', 'error'])('refuses an execution that is %s', async (status) => {
    const steps: Record<string, Step> = {
      completed: giving('a', 1),
      suspended: suspending('a'),
      error: andThen({ id: 'a', execute: () => Promise.reject(new Error('no')) }),
    }
    const process = await engines.start([createWorkflow({ id: 'w' }, steps[status] ?? giving('none', 0))])
    const started = await process.begin('w')
    await started.result().catch(() => undefined)
    const { executionId } = started
    await expect(process.engine.executions.suspend({ executionId })).rejects.toMatchObject({
      code: 'not_suspendable',
      message: `Execution can't be suspended: ${executionId} is ${status}`,
    })
  })

  it('refuses an execution that ends before it meets a boundary, or is cancelled', async () => {
    const last = gated('last')
    const process = await engines.start([
      createWorkflow({ id: 'w' }, last.step),
      createWorkflow({ id: 'c' }, never('a')),
    ])
    const { executionId } = await process.begin('w')
    await last.running
    const answer = process.engine.executions.suspend({ executionId })
    last.open()
    await expect(answer).rejects.toMatchObject({
      code: 'not_suspendable',
      message: expect.stringMatching(/is completed$/),
    })

    const other = await process.begin('c')
    const waiting = process.engine.executions.suspend({ executionId: other.executionId })
    await sleep(2)
    await process.engine.executions.cancel({ executionId: other.executionId })
    await expect(waiting).rejects.toMatchObject({
      code: 'not_suspendable',
      message: expect.stringMatching(/is cancelled$/),
    })
  })
}
