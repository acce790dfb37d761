import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { problemMessages } from '../../../src/lib/found-problem.ts'
import { workflowProblems } from '../../../src/workflow/rules.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, giving, never, suspending } from './sample-steps.ts'

const messagesOf = (workflow: WorkflowDefinition) => problemMessages(workflowProblems(workflow))

/** Steps that are undone when their execution fails or is cancelled. */
export function compensationTests(engines: Engines): void {
  /** A step that is undone, with a log of both. */
  const undone = (id: string, log: string[], undo?: (result: string) => unknown) =>
    andThen({
      id,
      execute: () => {
        log.push(id)
        return `${id} done`
      },
      compensate: (result) => {
        log.push(`undo ${result}`)
        return undo?.(result)
      },
    })
  const compensations = async (process: EngineProcess, id: string) =>
    (await process.steps(id)).filter((step) => step.includes(':compensate'))
  const ended = async (process: EngineProcess, id: string, status: string) => {
    await expect.poll(() => process.status(id)).toBe(status)
    return process.detail(id)
  }

  it('completed steps are undone in the reverse order of their completion when a step fails', async () => {
    const log: string[] = []
    const flow = createWorkflow({ id: 'w' }, undone('a', log), giving('x', 1), undone('b', log), failing('c'))
    const process = await engines.start([flow])
    const { id, compensation, error } = await process.executeFailing('w')
    expect(log).toEqual(['a', 'b', 'undo b done', 'undo a done'])
    expect(compensation).toBe('completed')
    expect(error?.message).toBe('c failed')
    expect(await compensations(process, id)).toEqual(['b:compensate completed 1', 'a:compensate completed 1'])
    expect(await process.step(id, 'a:compensate')).toMatchObject({
      stepId: 'a:compensate',
      name: 'Compensation of a',
      compensates: 'a',
      input: 'a done',
    })
    expect((await process.story(id)).slice(-7)).toEqual([
      'workflow-compensating',
      'step-start b:compensate',
      'step-complete b:compensate',
      'step-start a:compensate',
      'step-complete a:compensate',
      'workflow-error',
      'workflow-result',
    ])
  })

  it('nothing is undone of an execution that completes', async () => {
    const log: string[] = []
    const process = await engines.start([createWorkflow({ id: 'w' }, undone('a', log))])
    const { executionId } = await process.execute('w')
    expect(log).toEqual(['a'])
    expect(await process.detail(executionId)).not.toHaveProperty('compensation')
  })

  it('steps in branches, items and calls are undone, in the order of their completion backwards', async () => {
    const log: string[] = []
    const flow = createWorkflow({ id: 'w' })
      .andAll({ id: 'both', steps: [undone('a', log), undone('b', log)] })
      .andForEach({ id: 'items', items: () => ['p', 'q'], step: undone('item', log) })
      .andThen({
        id: 'calls',
        execute: async ({ step }) => {
          await step.run('one', () => 1, { compensate: (one) => void log.push(`undo ${one + 1}`) })
          return 'calls'
        },
        compensate: (result) => void log.push(`undo ${result}`),
      })
      .andThen({ id: 'last', execute: () => Promise.reject(new Error('no')) })
    const process = await engines.start([flow])
    const { id } = await process.executeFailing('w')
    expect(log.join(', ')).toBe(
      'a, b, item, item, undo calls, undo 2, undo item done, undo item done, undo b done, undo a done',
    )
    expect(await compensations(process, id)).toEqual([
      'calls:compensate completed 1',
      'calls/one:compensate completed 1',
      'items[1]:compensate completed 1',
      'items[0]:compensate completed 1',
      'both/b:compensate completed 1',
      'both/a:compensate completed 1',
    ])
  })

  it('a compensation gets the error, the reason and a key of its own, and is retried as its step', async () => {
    const seen: unknown[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        await step.run('charge', () => ({ id: 'c1' }), {
          retries: { limit: 2, delayMs: 1 },
          compensate: ({ id }, { error, reason, attempt, idempotencyKey }) => {
            seen.push([id, error?.message, reason, attempt, idempotencyKey.split(':').slice(1).join(':')])
            if (attempt < 3) throw new Error('busy')
          },
        })
        throw new Error('no stock')
      },
    })
    const process = await engines.start([flow])
    const { id, compensation } = await process.executeFailing('w')
    expect(seen).toEqual(
      [1, 2, 3].map((attempt) => ['c1', 'no stock', 'error', attempt, 'charge:compensate']),
    )
    expect(compensation).toBe('completed')
    expect(await compensations(process, id)).toEqual(['charge:compensate completed 3'])
  })

  it('a compensation that fails for good is recorded and logged, and the others go on', async () => {
    const log: string[] = []
    const broken = undone('b', log, () => Promise.reject(new RangeError('bank is closed')))
    const flow = createWorkflow({ id: 'w' }, undone('a', log), broken, failing('c'))
    const process = await engines.start([flow])
    const { id, compensation, error } = await process.executeFailing('w')
    expect(log).toEqual(['a', 'b', 'undo b done', 'undo a done'])
    expect(compensation).toBe('failed')
    expect(error?.message).toBe('c failed')
    expect(await compensations(process, id)).toEqual(['b:compensate error 1', 'a:compensate completed 1'])
    expect(process.logs).toContainEqual(
      expect.objectContaining({ msg: 'A compensation failed', executionId: id, stepId: 'b' }),
    )
  })

  it('an execution is running while it is compensated, cannot be suspended, and its result is the error', async () => {
    const gate = createDeferred<void>()
    const flow = createWorkflow(
      { id: 'w' },
      undone('a', [], () => gate.promise),
      failing('b'),
    )
    const process = await engines.start([flow])
    const started = await process.startExecution('w')
    const { executionId } = started
    await process.recorded(executionId, 'a:compensate', 'running')
    expect(await process.detail(executionId)).toMatchObject({
      status: 'running',
      compensating: { reason: 'error' },
    })
    expect(
      await process.engine.queries.state(await process.engine.executions.find({ executionId })),
    ).toMatchObject({ compensating: { reason: 'error' } })
    await expect(process.engine.executions.suspend({ executionId })).rejects.toMatchObject({
      code: 'not_suspendable',
    })
    gate.resolve()
    await expect(started.result()).rejects.toMatchObject({ code: 'execution_failed' })
    expect(await process.detail(executionId)).not.toHaveProperty('compensating')
  })

  it('a cancel of a running execution aborts its steps, undoes the completed ones, and then answers', async () => {
    const log: string[] = []
    const aborted: string[] = []
    const flow = createWorkflow({ id: 'w' }, undone('a', log), never('b', aborted))
    const process = await engines.start([flow])
    const started = await process.startExecution('w')
    const { executionId } = started
    await process.reached(executionId, 'b')
    const result = await process.cancel(executionId, 'enough', { user: { id: 'ada' } })
    expect(result).toMatchObject({ status: 'cancelled', reason: 'enough', compensation: 'completed' })
    expect(log).toEqual(['a', 'undo a done'])
    expect(aborted).toEqual(['b'])
    expect(await started.result()).toMatchObject({ status: 'cancelled', compensation: 'completed' })
    expect(await process.detail(executionId)).toMatchObject({
      status: 'cancelled',
      compensation: 'completed',
      cancelledBy: 'ada',
    })
    expect(await process.steps(executionId)).toEqual([
      'a completed 1',
      'b cancelled 1',
      'a:compensate completed 1',
    ])
  })

  it('a cancel of a suspended function runs it over its record, starts no call of it, and undoes what it had done', async () => {
    const runs: string[] = []
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        runs.push('top')
        const a = await step.run('a', () => runs.push('a'), {
          compensate: (n) => void runs.push(`undo a ${n}`),
        })
        const inner = await step.run('outer', async ({ step: nested }) => {
          await nested.run('inner', () => a + 1, { compensate: (n) => void runs.push(`undo inner ${n}`) })
          return 'outer'
        })
        await Promise.all([
          step.suspend('ask'),
          step.run('b', () => runs.push('b'), { compensate: () => void runs.push('undo b') }),
        ])
        await step.run('never', () => runs.push(inner), { compensate: () => void runs.push('undo never') })
      },
    })
    const before = await engines.start([flow])
    const { executionId } = await before.execute('w')
    expect(runs.splice(0)).toEqual(['top', 'a', 'b'])
    await before.stop()
    const after = await engines.next(before)
    const result = await after.cancel(executionId)
    expect(result.compensation).toBe('completed')
    expect(runs).toEqual(['top', 'undo b', 'undo inner 3', 'undo a 2'])
    expect(await after.steps(executionId)).not.toContainEqual(expect.stringContaining('never'))
    expect((await after.story(executionId)).filter((type) => !type.includes('step'))).toEqual([
      'workflow-start',
      'workflow-suspended',
      'workflow-result',
      'workflow-compensating',
      'workflow-cancelled',
      'workflow-result',
    ])
  })

  it('calls in the steps of a chain are found again in another process, those of items by their index', async () => {
    const log: string[] = []
    const flow = createWorkflow({ id: 'w' })
      .andForEach({
        id: 'items',
        items: () => ['p', 'q'],
        step: andThen({
          id: 'item',
          execute: async ({ data, index, step }) => {
            log.push(`item ${data as string}`)
            return step.run('book', () => index, {
              compensate: (booked) => void log.push(`undo ${data as string} ${booked}`),
            })
          },
        }),
      })
      .andThen({ id: 'ask', execute: ({ suspend }) => suspend('wait') })
    const before = await engines.start([flow])
    const { executionId } = await before.execute('w')
    expect(log.splice(0)).toEqual(['item p', 'item q'])
    await before.stop()
    const after = await engines.next(before)
    expect((await after.cancel(executionId)).compensation).toBe('completed')
    expect(log.splice(0, 2).toSorted()).toEqual(['item p', 'item q'])
    expect(log).toEqual(['undo q 1', 'undo p 0'])
    expect(await compensations(after, executionId)).toEqual([
      'items[1]/book:compensate completed 1',
      'items[0]/book:compensate completed 1',
    ])
  })

  it('a crash continues the compensations: those that have ended are not repeated', async () => {
    const log: string[] = []
    const gate = createDeferred<void>()
    const flow = createWorkflow({
      id: 'w',
      run: async ({ step }) => {
        for (const id of ['a', 'b', 'c'])
          await step.run(id, () => id, {
            compensate: async (result, { attempt }) => {
              log.push(`${result} ${attempt}`)
              if (result === 'b' && attempt === 1) await gate.promise
            },
          })
        throw new Error('no')
      },
    })
    const before = await engines.start([flow])
    const { executionId } = await before.startExecution('w')
    await expect.poll(() => log).toEqual(['c 1', 'b 1'])
    await before.crash()
    gate.resolve()
    const after = await engines.next(before)
    expect(await ended(after, executionId, 'error')).toMatchObject({
      compensation: 'completed',
      error: { message: 'no' },
    })
    expect(log).toEqual(['c 1', 'b 1', 'b 2', 'a 1'])
    expect(await compensations(after, executionId)).toEqual([
      'c:compensate completed 1',
      'b:compensate completed 2',
      'a:compensate completed 1',
    ])
  })

  it('a stop of the server interrupts the compensations, and the next process continues them', async () => {
    const log: string[] = []
    const flow = createWorkflow(
      { id: 'w' },
      undone('a', log, () => (log.length > 2 ? undefined : new Promise(() => undefined))),
      failing('b'),
    )
    const before = await engines.start([flow])
    const { executionId } = await before.startExecution('w')
    await before.recorded(executionId, 'a:compensate', 'running')
    await before.stop(0)
    const after = await engines.next(before)
    await ended(after, executionId, 'error')
    expect(log).toEqual(['a', 'undo a done', 'undo a done'])
  })

  it('a cancel answers that it is pending when the compensations take long, and so does the next one', async () => {
    const gate = createDeferred<void>()
    const flow = createWorkflow(
      { id: 'w' },
      undone('a', [], () => gate.promise),
      suspending('b'),
    )
    const process = await engines.start([flow], { cancelWaitMs: 1 })
    const { executionId } = await process.execute('w')
    const pending = { executionId, status: 'running', compensating: { reason: 'cancelled' } }
    expect(await process.engine.executions.cancel({ executionId })).toEqual(pending)
    expect(await process.engine.executions.cancel({ executionId })).toEqual(pending)
    gate.resolve()
    expect((await ended(process, executionId, 'cancelled')).compensation).toBe('completed')
  })

  it.each(['running', 'suspended', 'compensating'])(
    'a cancel with force leaves the compensations of a %s execution',
    async (state) => {
      const log: string[] = []
      const stuck = () => new Promise(() => undefined)
      const last = { running: never('b'), suspended: suspending('b'), compensating: failing('b') }[state]
      const flow = createWorkflow({ id: 'w' }, undone('a', log, stuck), last as ReturnType<typeof giving>)
      const process = await engines.start([flow])
      const { executionId } = await process.startExecution('w')
      await process.reached(executionId, state === 'compensating' ? 'a:compensate' : 'b')
      if (state === 'suspended') await expect.poll(() => process.status(executionId)).toBe(state)
      const result = await process.cancel(executionId, 'now', { force: true })
      expect(result).toMatchObject({ status: 'cancelled', compensation: 'failed' })
      expect(log).toEqual(state === 'compensating' ? ['a', 'undo a done'] : ['a'])
      expect(await process.detail(executionId)).toMatchObject({ status: 'cancelled', compensation: 'failed' })
    },
  )

  it('a child is undone as one by its parent, and undoes its own steps when it ends with its parent', async () => {
    const log: string[] = []
    const paid = createWorkflow({ id: 'paid' }, undone('pay', log))
    const open = createWorkflow({ id: 'open' }, undone('reserve', log), suspending('ask'))
    const flow = createWorkflow(
      { id: 'w' },
      andWorkflow({
        id: 'first',
        workflow: paid,
        input: () => ({}),
        compensate: (result) => void log.push(`refund ${result}`),
      }),
      andWorkflow({ id: 'second', workflow: open, input: () => ({}) }),
    )
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    await process.cancel(executionId)
    expect(log).toEqual(['pay', 'reserve', 'undo reserve done', 'refund pay done'])
    const children = await Promise.all((await process.children(executionId)).map((id) => process.detail(id)))
    expect(children.map(({ status, compensation }) => [status, compensation])).toEqual([
      ['completed', undefined],
      ['cancelled', 'completed'],
    ])
  })

  it('a step whose code is gone fails its compensation, and names it', async () => {
    const log: string[] = []
    const make = (id: string) =>
      createWorkflow({
        id: 'w',
        run: async ({ step }) => {
          await step.run('a', () => 'a', { compensate: () => void log.push('undo a') })
          await step.run(id, () => id, { compensate: () => void log.push(`undo ${id}`) })
          await step.suspend('ask')
        },
      })
    const process = await engines.start([make('old')])
    const { executionId } = await process.execute('w')
    process.reload([make('new')])
    expect((await process.cancel(executionId)).compensation).toBe('failed')
    expect(log).toEqual(['undo a'])
    expect((await process.step(executionId, 'old:compensate'))?.error?.message).toContain(
      'no compensation of "old"',
    )
  })

  it('a replay undoes what it has done itself, and not what it copied', async () => {
    const log: string[] = []
    const flow = createWorkflow({ id: 'w' }, undone('a', log), undone('b', log), failing('c'))
    const process = await engines.start([flow])
    const { id: executionId } = await process.executeFailing('w')
    log.length = 0
    const replay = await process.engine.executions.replay({ executionId }, 'b', { decider: CODE_DECIDES })
    await expect(replay.result()).rejects.toMatchObject({ code: 'execution_failed' })
    expect(log).toEqual(['b', 'undo b done'])
    expect(await compensations(process, replay.executionId)).toEqual(['b:compensate completed 1'])
  })

  it('a breakpoint at every step does not suspend compensations', async () => {
    const log: string[] = []
    const process = await engines.start([createWorkflow({ id: 'w' }, undone('a', log), failing('b'))])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['*'] })
    await process.resume(executionId)
    await expect(process.resume(executionId)).rejects.toMatchObject({ code: 'execution_failed' })
    expect(log).toEqual(['a', 'undo a done'])
  })

  it('hooks are called after the compensations', async () => {
    const log: string[] = []
    const flow = createWorkflow(
      { id: 'w', onError: () => void log.push('onError') },
      undone('a', log),
      failing('b'),
    )
    const process = await engines.start([flow])
    await process.executeFailing('w')
    await expect.poll(() => log).toEqual(['a', 'undo a done', 'onError'])
  })

  it('an id that ends as that of a compensation is refused, and so is a compensation that is no function', () => {
    const flow = createWorkflow(
      { id: 'w' },
      giving('a:compensate', 1),
      andThen({ id: 'b', execute: () => 1, compensate: 'refund' as never }),
    )
    expect(messagesOf(flow)).toEqual([
      'step "a:compensate" (andThen): ids that end with ":compensate" are reserved for compensations',
      'step "b" (andThen): compensate must be a function',
    ])
  })
}
