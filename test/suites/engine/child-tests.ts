import { expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, giving, never, suspending } from './sample-steps.ts'

const asks = createWorkflow({ id: 'asks' }, suspending('q'))
const parent = createWorkflow({ id: 'parent' })
  .andWorkflow({ id: 'down', workflow: asks })
  .andThen({ id: 'after', execute: ({ data }) => ({ child: data }) })

/** Waits until the steps `running` and `suspended` of a group have started their children. */
async function bothWait(process: EngineProcess, executionId: string, group: string): Promise<void> {
  await until(() => process.engine.queries.count({ workflowId: 'asks', status: 'suspended' }))
  const { childExecutionId } = await until(() => process.step(executionId, `${group}/running`))
  await process.reached(childExecutionId ?? '', 'c')
}

/** andWorkflow and its child executions. */
export function childTests(engines: Engines): void {
  it('a child workflow runs as its own execution and returns its result', async () => {
    const inputSchema = z.object({ n: z.number(), unit: z.string().default('kg') })
    const child = createWorkflow(
      { id: 'child', inputSchema },
      andThen({ id: 'c', execute: ({ data }) => [data] }),
    )
    const mother = createWorkflow({ id: 'mother' })
      .andThen({ id: 'p', execute: () => 4 })
      .andWorkflow({ id: 'down', workflow: child, input: async ({ data }) => ({ n: data }) })
    const process = await engines.start([child, mother])
    const options = { userId: 'ann', conversationId: 'talk', context: { c: 1 } }
    const { executionId, result } = await process.execute('mother', {}, options)
    expect(result).toEqual([{ n: 4, unit: 'kg' }])
    const childId = await process.child(executionId)
    expect(await process.detail(childId)).toMatchObject({
      workflowId: 'child',
      status: 'completed',
      input: { n: 4, unit: 'kg' },
      parentExecutionId: executionId,
      userId: 'ann',
      conversationId: 'talk',
      context: { c: 1 },
    })
    const shared = { from: 'down', stepIndex: 1, stepType: 'andWorkflow', attempt: 1 }
    expect((await process.events(executionId)).slice(3, 5)).toEqual([
      { type: 'step-start', ...shared, input: 4 },
      { type: 'step-complete', ...shared, output: [{ n: 4, unit: 'kg' }] },
    ])
    expect(await process.steps(executionId)).toEqual(['p completed 1', 'down completed 1'])
  })

  it('a parent fails with its child, with the error and the step that waited for it', async () => {
    const bad = createWorkflow({ id: 'bad' }, failing('c'))
    const process = await engines.start([
      bad,
      createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: bad }),
    ])
    const record = await process.executeFailing('mother')
    expect(record.error).toMatchObject({
      message: 'c failed',
      name: 'Error',
      stepId: 'down',
      cause: { stepId: 'c' },
    })
    expect(record.steps[0]).toMatchObject({ status: 'error', childExecutionId: expect.any(String) })
  })

  it('a child is not started with invalid input, and its parent fails', async () => {
    const child = createWorkflow({ id: 'child', inputSchema: z.object({ n: z.number() }) }, giving('c', 1))
    const mother = createWorkflow(
      { id: 'mother' },
      andWorkflow({ id: 'down', workflow: child, input: () => ({}) as never }),
    )
    const process = await engines.start([child, mother])
    const record = await process.executeFailing('mother')
    expect(record.error).toMatchObject({
      message: 'Input validation failed: input.n: Required',
      stepId: 'down',
    })
    expect(await process.engine.queries.count({ workflowId: 'child' })).toBe(0)
  })

  it('a parent runs a child that is not in the configuration', async () => {
    const process = await engines.start([parent])
    const { executionId } = await process.execute('parent')
    expect(await process.resume(executionId, 'yes')).toMatchObject({
      status: 'completed',
      result: { child: 'yes' },
    })
  })

  it('a parent fails when its running or suspended child is cancelled', async () => {
    const runs = createWorkflow({ id: 'runs' }, never('c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: runs })
    const process = await engines.start([runs, mother, asks, parent])
    const started = await process.startExecution('mother')
    await process.reached(started.executionId, 'down')
    const childId = await process.child(started.executionId)
    await process.engine.executions.cancel({ executionId: childId })
    await expect(started.result()).rejects.toMatchObject({ code: 'execution_failed' })
    const { error } = await process.detail(started.executionId)
    expect(error).toMatchObject({ message: 'The child execution was cancelled', stepId: 'down' })

    const { executionId } = await process.execute('parent')
    const suspendedChild = await process.child(executionId)
    await process.engine.executions.cancel({ executionId: suspendedChild })
    await expect.poll(() => process.status(executionId)).toBe('error')
  })

  it('a parent is suspended with its child, with the reason, data and schema of the child', async () => {
    const resumeSchema = z.object({ ok: z.boolean() })
    const step = andThen({
      id: 'q',
      resumeSchema,
      execute: ({ suspend, resumeData }) => resumeData ?? suspend('why', [1]),
    })
    const child = createWorkflow({ id: 'child' }, step)
    const between = createWorkflow({ id: 'between' }).andWorkflow({ id: 'deeper', workflow: child })
    const mother = createWorkflow({ id: 'mother', resumeSchema: z.string() }).andWorkflow({
      id: 'down',
      workflow: between,
    })
    const process = await engines.start([child, between, mother])
    const { executionId, suspension } = await process.execute('mother')
    expect(suspension).toMatchObject({ reason: 'why', data: [1], stepId: 'down', suspendedStepIndex: 0 })
    expect(await process.steps(executionId)).toEqual(['down suspended 1'])
    expect((await process.events(executionId)).at(-2)).toMatchObject({
      type: 'workflow-suspended',
      resumeSchema: { properties: { ok: { type: 'boolean' } } },
    })
    await expect(process.resume(executionId, 'text')).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await process.resume(executionId, { ok: true })).result).toEqual({ ok: true })
  })

  it('a child resumes with its parent', async () => {
    const process = await engines.start([asks, parent])
    const { executionId } = await process.execute('parent')
    const childId = await process.child(executionId)
    expect(await process.resume(executionId, 'yes', 'down')).toMatchObject({
      status: 'completed',
      result: { child: 'yes' },
    })
    expect(await process.status(childId)).toBe('completed')
    expect(await process.story(executionId)).toEqual([
      'workflow-start',
      'step-start down',
      'workflow-suspended',
      'workflow-result',
      'workflow-resumed',
      'step-complete down',
      'step-start after',
      'step-complete after',
      'workflow-complete',
      'workflow-result',
    ])
    expect((await process.events(executionId))[4]).toEqual({
      type: 'workflow-resumed',
      stepId: 'down',
      resumedAs: 'code',
      resumedOver: 'code',
      resumeData: 'yes',
    })
  })

  it('a parent resumes with its child', async () => {
    const process = await engines.start([asks, parent])
    const { executionId } = await process.execute('parent')
    const childId = await process.child(executionId)
    expect(await process.resume(childId, 'yes')).toMatchObject({
      executionId: childId,
      status: 'completed',
      result: 'yes',
    })
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.detail(executionId)).output).toEqual({ child: 'yes' })
  })

  it('a parent can be resumed that was not notified of the end of its child', async () => {
    const process = await engines.start([asks, parent])
    const { executionId } = await process.execute('parent')
    const childId = await process.child(executionId)
    process.store.refuse((writes) => writes.some(({ id }) => id === executionId))
    await expect(process.engine.executions.cancel({ executionId: childId })).rejects.toThrow(
      'could not be stored',
    )
    await process.crash()
    const next = await engines.next(process)
    expect([await next.status(childId), await next.status(executionId)]).toEqual(['cancelled', 'suspended'])
    await expect(next.resume(executionId)).rejects.toMatchObject({ code: 'execution_failed' })
  })

  it('one of fifty concurrent resumes of parent and child wins', async () => {
    const process = await engines.start([asks, parent])
    const { executionId } = await process.execute('parent')
    const childId = await process.child(executionId)
    const attempts = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => process.resume(n % 2 === 0 ? executionId : childId, n)),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = attempts.flatMap((one) =>
      one.status === 'rejected' ? String((one.reason as Error).message) : [],
    )
    expect(refused.filter((message) => message.endsWith(executionId)).length).toBeGreaterThanOrEqual(24)
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.story(childId)).filter((line) => line === 'workflow-resumed')).toHaveLength(1)
  })

  it('a parent suspends again with its child', async () => {
    const twice = createWorkflow({ id: 'twice' }, suspending('first'), suspending('second'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: twice })
    const process = await engines.start([twice, mother])
    const { executionId } = await process.execute('mother')
    expect(await process.resume(executionId, 1)).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'second asks' },
    })
    expect(await process.resume(executionId, 2)).toMatchObject({ status: 'completed', result: 2 })
  })

  it('a parent keeps its child in the next process after a crash', async () => {
    let starts = 0
    const child = createWorkflow({ id: 'child' })
      .andThen({ id: 'once', execute: () => ++starts })
      .andThen({
        id: 'c',
        execute: ({ attempt }) => (attempt === 1 ? new Promise<string>(() => undefined) : 'done'),
      })
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const first = await engines.start([child, mother])
    const { executionId } = await first.startExecution('mother')
    await first.reached(executionId, 'down')
    const childId = await first.child(executionId)
    await first.reached(childId, 'c')
    await first.crash()
    const second = await engines.next(first)
    await expect.poll(() => second.status(executionId)).toBe('completed')
    expect((await second.detail(executionId)).output).toBe('done')
    expect(await second.children(executionId)).toEqual([childId])
    expect(starts).toBe(1)
    expect(await second.engine.queries.count({ workflowId: 'child' })).toBe(1)
  })

  it('a running or suspended child that loses a race is cancelled', async () => {
    const aborted: string[] = []
    const runs = createWorkflow({ id: 'runs' }, never('c', aborted))
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [
        andWorkflow({ id: 'running', workflow: runs }),
        andWorkflow({ id: 'suspended', workflow: asks }),
        giving('quick', 'won', (id) => bothWait(process, id, 'r')),
      ],
    })
    const process: EngineProcess = await engines.start([runs, asks, race])
    const { executionId, result } = await process.execute('race')
    expect(result).toBe('won')
    for (const workflowId of ['runs', 'asks']) {
      await expect.poll(() => process.engine.queries.count({ workflowId, status: 'cancelled' })).toBe(1)
    }
    expect(aborted).toEqual(['c'])
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'r completed 1',
      'r/quick completed 1',
      'r/running cancelled 1',
      'r/suspended cancelled 1',
    ])
  })

  it('a running or suspended child is cancelled when its parent fails', async () => {
    const runs = createWorkflow({ id: 'runs' }, never('c'))
    const all = createWorkflow({ id: 'all' }).andAll({
      id: 'g',
      steps: [
        andWorkflow({ id: 'running', workflow: runs }),
        andWorkflow({ id: 'suspended', workflow: asks }),
        failing('bad', (id) => bothWait(process, id, 'g')),
      ],
    })
    const process: EngineProcess = await engines.start([runs, asks, all])
    await process.executeFailing('all')
    for (const workflowId of ['runs', 'asks']) {
      await expect.poll(() => process.engine.queries.count({ workflowId, status: 'cancelled' })).toBe(1)
    }
  })

  it('an execution whose id is in use starts no child', async () => {
    let starts = 0
    const child = createWorkflow({ id: 'child' }, andThen({ id: 'c', execute: () => ++starts }))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const process = await engines.start([child, mother])
    await process.execute('mother', {}, { executionId: 'mine' })
    const again = await process.engine.executions.execute('mother', {}, { executionId: 'mine' })
    await expect(again.result()).rejects.toMatchObject({ code: 'conflict' })
    // a whole child execution later, another child would have been stored
    await process.execute('mother')
    expect(starts).toBe(2)
    expect(await process.engine.queries.count({ workflowId: 'child' })).toBe(2)
  })
}
