import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { Step } from '../../../src/workflow/step.ts'
import { andAll } from '../../../src/workflow/steps/and-all.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, sleep, suspending } from './sample-steps.ts'

/** Cancelling in every state of an execution. */
export function cancelTests(engines: Engines): void {
  it('a running step is aborted even if it ignores its signal, and callers receive the result', async () => {
    const aborted: string[] = []
    const waits = createWorkflow({ id: 'waits' }).andAll({
      id: 'g',
      steps: [never('a', aborted), giving('b', 1)],
    })
    const process = await engines.start([waits])
    const started = await process.startExecution('waits')
    const { executionId } = started
    await process.reached(executionId, 'g/a')
    await process.recorded(executionId, 'g/b', 'completed')
    const cancelled = await process.cancel(executionId, 'enough')
    expect(cancelled).toEqual({
      executionId,
      status: 'cancelled',
      cancelledAt: expect.any(String),
      reason: 'enough',
    })
    expect(aborted).toEqual(['a'])
    const { startAt, cancelledAt } = { ...started, ...cancelled }
    expect(await started.result()).toEqual({
      executionId,
      startAt,
      endAt: cancelledAt,
      status: 'cancelled',
      result: null,
    })
    expect(await process.detail(executionId)).toMatchObject({ status: 'cancelled', endedAt: cancelledAt })
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'g cancelled 1',
      'g/a cancelled 1',
      'g/b completed 1',
    ])
    expect((await process.events(executionId)).slice(-2)).toEqual([
      { type: 'workflow-cancelled', reason: 'enough' },
      { type: 'workflow-result', startAt, endAt: cancelledAt, status: 'cancelled', result: null },
    ])
  })

  it('a step that ignores the cancel adds nothing to the record', async () => {
    const gate = createDeferred<void>()
    const ended = createDeferred<void>()
    const late = createWorkflow({ id: 'late' })
      .andThen({
        id: 'a',
        execute: async ({ emit }) => {
          await gate.promise
          emit('late')
          ended.resolve()
          return 'late'
        },
      })
      .andThen({ id: 'b', execute: () => 'b' })
    const process = await engines.start([late, createWorkflow({ id: 'quick' }, giving('a', 1))])
    const { executionId } = await process.startExecution('late')
    await process.reached(executionId, 'a')
    await process.engine.executions.cancel({ executionId })
    const before = await process.detail(executionId)
    gate.resolve()
    await ended.promise
    // a whole execution later, the record would have any change
    await process.execute('quick')
    expect(await process.detail(executionId)).toEqual(before)
    expect(await process.steps(executionId)).toEqual(['a cancelled 1'])
  })

  it('a suspended execution is cancelled', async () => {
    const asks = createWorkflow({ id: 'asks' }, suspending('a'))
    const process = await engines.start([asks])
    const { executionId, startAt } = await process.execute('asks')
    const { cancelledAt, reason } = await process.cancel(executionId)
    expect(reason).toBe('Cancelled by request')
    const record = await process.detail(executionId)
    expect(record).toMatchObject({ status: 'cancelled', endedAt: cancelledAt })
    expect(record).not.toHaveProperty('suspension')
    expect(await process.steps(executionId)).toEqual(['a cancelled 1'])
    expect((await process.events(executionId)).slice(-2)).toEqual([
      { type: 'workflow-cancelled', reason },
      { type: 'workflow-result', startAt, endAt: cancelledAt, status: 'cancelled', result: null },
    ])
    await expect(process.resume(executionId)).rejects.toMatchObject({ code: 'not_resumable' })
  })

  it('a pause before a retry does not delay the cancel', async () => {
    let runs = 0
    const flaky = createWorkflow({ id: 'flaky' }).andThen({
      id: 'a',
      retries: { limit: 3, delayMs: 3_600_000 },
      execute: () => {
        runs++
        throw new Error('again')
      },
    })
    const process = await engines.start([flaky])
    const started = await process.startExecution('flaky')
    await expect.poll(() => process.story(started.executionId)).toContain('step-error a')
    await process.engine.executions.cancel({ executionId: started.executionId })
    expect((await started.result()).status).toBe('cancelled')
    expect(runs).toBe(1)
    expect(await process.steps(started.executionId)).toEqual(['a cancelled 1'])
  })

  it.each(['completed', 'error', 'cancelled'])(
    'an execution that is %s cannot be cancelled',
    async (status) => {
      const steps: Record<string, Step> = {
        completed: giving('a', 1),
        error: andThen({ id: 'a', execute: () => Promise.reject(new Error('no')) }),
        cancelled: never('a'),
      }
      const process = await engines.start([createWorkflow({ id: 'w' }, steps[status] ?? giving('none', 0))])
      const started = await process.startExecution('w')
      const { executionId } = started
      if (status === 'cancelled') await process.engine.executions.cancel({ executionId })
      await started.result().catch(() => undefined)
      await expect(process.engine.executions.cancel({ executionId })).rejects.toMatchObject({
        code: 'not_cancellable',
        message: `Execution can't be cancelled: ${executionId} is ${status}`,
      })
    },
  )

  it('an execution is only found under its own workflow', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'a' }, never('s')),
      createWorkflow({ id: 'b' }, never('s')),
    ])
    const { executionId } = await process.startExecution('a')
    const { executions } = process.engine
    await expect(executions.cancel({ executionId, workflowId: 'b' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(executions.cancel({ executionId, workflowId: 'c' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Workflow not found: c',
    })
    await expect(executions.cancel({ executionId: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
    expect(await process.status(executionId)).toBe('running')
  })

  it('either the cancel or the completion wins, never both', async () => {
    const process = await engines.start([
      createWorkflow(
        { id: 'w' },
        giving('a', 1),
        giving('b', 2, () => sleep(1)),
      ),
    ])
    const outcomes = new Set<string>()
    for (let round = 0; round < 60; round++) {
      const started = await process.startExecution('w')
      const { executionId } = started
      for (let turn = 0; turn < round % 12; turn++) await new Promise((resolve) => setImmediate(resolve))
      const answer = await process.engine.executions.cancel({ executionId }).then(
        ({ status }) => status,
        (error: { code: string }) => error.code,
      )
      const { status } = await started.result()
      outcomes.add(`${answer} ${status}`)
      expect(await process.status(executionId)).toBe(status)
      const last = (await process.events(executionId)).filter(({ type }) => type === 'workflow-result')
      expect(last.map((event) => event['status'])).toEqual([status])
      if (outcomes.size > 1 && round > 24) break
    }
    for (const outcome of outcomes)
      expect(['cancelled cancelled', 'not_cancellable completed']).toContain(outcome)
  })

  it('one of several concurrent cancels and resumes wins', async () => {
    const process = await engines.start([createWorkflow({ id: 'asks' }, suspending('a'))])
    for (let round = 0; round < 5; round++) {
      const { executionId } = await process.execute('asks')
      const attempts = await Promise.allSettled([
        process.resume(executionId, 1).then(({ status }) => status),
        process.engine.executions.cancel({ executionId }).then(({ status }) => status),
        process.resume(executionId, 2).then(({ status }) => status),
      ])
      const status = await process.status(executionId)
      const won = attempts.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      expect(won).toContain(status)
      const resumed = (await process.story(executionId)).filter((line) => line === 'workflow-resumed')
      expect(resumed.length).toBeLessThanOrEqual(1)
    }
  })

  it('running and suspended children are cancelled with their parent', async () => {
    const aborted: string[] = []
    const runs = createWorkflow({ id: 'runs' }, never('deep', aborted))
    const asks = createWorkflow({ id: 'asks' }, suspending('q'))
    const between = createWorkflow({ id: 'between' }).andWorkflow({ id: 'down', workflow: runs })
    const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'first', workflow: between })
    const suspended = createWorkflow({ id: 'suspended' }).andWorkflow({ id: 'down', workflow: asks })
    const process = await engines.start([runs, asks, between, parent, suspended])
    const started = await process.startExecution('parent')
    await process.reached(started.executionId, 'first')
    const child = await process.child(started.executionId)
    await process.reached(child, 'down')
    const grandchild = await process.child(child)
    await process.reached(grandchild, 'deep')
    await process.engine.executions.cancel({ executionId: started.executionId }, 'all of it')
    expect((await started.result()).status).toBe('cancelled')
    for (const id of [child, grandchild]) expect(await process.status(id)).toBe('cancelled')
    expect(aborted).toEqual(['deep'])
    expect((await process.events(grandchild)).at(-2)).toEqual({
      type: 'workflow-cancelled',
      reason: 'all of it',
    })

    const waiting = await process.execute('suspended')
    const suspendedChild = await process.child(waiting.executionId)
    await process.engine.executions.cancel({ executionId: waiting.executionId })
    expect(await process.status(suspendedChild)).toBe('cancelled')
    expect(await process.status(waiting.executionId)).toBe('cancelled')
  })

  it('no child is started after the cancel, even one that was being prepared', async () => {
    let started = 0
    let prepared = 0
    const gate = createDeferred<void>()
    const prepare = async () => {
      prepared++
      await gate.promise
      return {}
    }
    const child = createWorkflow({ id: 'child' }, andThen({ id: 'c', execute: () => ++started }))
    const slowInput = z.object({}).refine(() => prepare().then(() => true))
    const checked = createWorkflow(
      { id: 'checked', inputSchema: slowInput },
      andThen({ id: 'c', execute: () => ++started }),
    )
    const prepares = createWorkflow({ id: 'prepares' }).andWorkflow({
      id: 'w',
      workflow: child,
      input: prepare,
    })
    const checks = createWorkflow({ id: 'checks' }).andWorkflow({ id: 'w', workflow: checked })
    const process = await engines.start([
      child,
      checked,
      prepares,
      checks,
      createWorkflow({ id: 'quick' }, giving('a', 1)),
    ])
    for (const [index, workflowId] of ['prepares', 'checks'].entries()) {
      const { executionId } = await process.startExecution(workflowId)
      await expect.poll(() => prepared).toBe(index + 1)
      await process.engine.executions.cancel({ executionId })
    }
    gate.resolve()
    // a whole child execution later, another child would have been stored
    await process.execute('quick')
    expect(started).toBe(0)
    expect(await process.engine.queries.count({ workflowId: 'child' })).toBe(0)
    expect(await process.engine.queries.count({ workflowId: 'checked' })).toBe(0)
  })

  it('an execution whose workflow was removed can be cancelled', async () => {
    const first = await engines.start([
      createWorkflow({ id: 'gone' }, andAll({ id: 'g', steps: [never('a')] })),
    ])
    const { executionId } = await first.startExecution('gone')
    await first.reached(executionId, 'g/a')
    await first.crash()
    const second = await engines.next(first, [createWorkflow({ id: 'other' }, giving('a', 1))])
    expect(await second.status(executionId)).toBe('running')
    expect((await second.engine.executions.cancel({ executionId })).status).toBe('cancelled')
    expect(await second.steps(executionId)).toEqual(['g cancelled 1', 'g/a cancelled 1'])
  })
}
