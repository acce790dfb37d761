import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { problemMessages } from '../../../src/lib/found-problem.ts'
import { workflowProblems } from '../../../src/workflow/rules.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import type { EndedExecution } from '../../../src/workflow/hooks.ts'
import type { StepCalls } from '../../../src/step/step-calls.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, giving, never, suspending } from './sample-steps.ts'

const messagesOf = (workflow: WorkflowDefinition) => problemMessages(workflowProblems(workflow))

/** Functions that are called after the end of an execution. */
export function hookTests(engines: Engines): void {
  const hooksOf = async (process: EngineProcess, id: string) =>
    ((await process.detail(id)).hooks ?? []).map(
      ({ hook, status, attempts }) => `${hook} ${status} ${attempts}`,
    )
  const ended = async (process: EngineProcess, id: string, hooks: readonly string[]) => {
    await expect.poll(() => hooksOf(process, id)).toEqual(hooks)
  }

  /** Waits until each job that was stored with a change was dropped with one. */
  const noJobs = async ({ store }: EngineProcess) => {
    const open = () => {
      const dropped = new Set(store.jobs.flatMap(({ drop = [] }) => drop))
      return store.jobs.flatMap(({ add = [] }) => add).filter(({ key }) => !dropped.has(key))
    }
    await expect.poll(open).toEqual([])
  }

  it('onEnd gets the result, onError the error, and onExecutionEnd both, each after its execution has ended', async () => {
    const calls: unknown[] = []
    const note =
      (hook: string) =>
      ({ status, result, error, workflowId, input }: EndedExecution) =>
        void calls.push([hook, workflowId, status, result ?? error?.message, input])
    const inputSchema = z.object({ n: z.number() })
    const hooks = { onEnd: note('onEnd'), onError: note('onError') }
    const good = createWorkflow({ id: 'good', inputSchema, ...hooks }).andThen({
      id: 'a',
      execute: ({ input }) => input.n + 1,
    })
    const bad = createWorkflow({
      id: 'bad',
      inputSchema,
      ...hooks,
      run: () => Promise.reject(new Error('no')),
    })
    const process = await engines.start([good, bad], { onExecutionEnd: note('onExecutionEnd') })
    const { executionId } = await process.execute('good', { n: 1 })
    await ended(process, executionId, ['onEnd completed 1', 'onExecutionEnd completed 1'])
    const { id } = await process.executeFailing('bad', { n: 2 })
    await ended(process, id, ['onError completed 1', 'onEnd completed 1', 'onExecutionEnd completed 1'])
    expect(calls).toEqual([
      ['onEnd', 'good', 'completed', 2, { n: 1 }],
      ['onExecutionEnd', 'good', 'completed', 2, { n: 1 }],
      ['onError', 'bad', 'error', 'no', { n: 2 }],
      ['onEnd', 'bad', 'error', 'no', { n: 2 }],
      ['onExecutionEnd', 'bad', 'error', 'no', { n: 2 }],
    ])
  })

  it.each(['running', 'suspended'])('onEnd is called when a %s execution is cancelled', async (state) => {
    const statuses: string[] = []
    const flow = createWorkflow(
      { id: 'w', onEnd: ({ status }) => void statuses.push(status) },
      state === 'running' ? never('a') : suspending('a'),
    )
    const process = await engines.start([flow])
    const { executionId } = await process.startExecution('w')
    await process.reached(executionId, 'a')
    if (state === 'suspended') await expect.poll(() => process.status(executionId)).toBe(state)
    await process.engine.executions.cancel({ executionId })
    await ended(process, executionId, ['onEnd completed 1'])
    expect(statuses).toEqual(['cancelled'])
  })

  it('a hook delays neither the response nor the end, and adds no event', async () => {
    const gate = createDeferred<void>()
    const flow = createWorkflow({ id: 'w', onEnd: () => gate.promise }, giving('a', 1))
    const process = await engines.start([flow])
    const { executionId, status } = await process.execute('w')
    expect(status).toBe('completed')
    const events = await process.events(executionId)
    await ended(process, executionId, ['onEnd running 1'])
    gate.resolve()
    await ended(process, executionId, ['onEnd completed 1'])
    expect(await process.events(executionId)).toEqual(events)
    expect(await process.steps(executionId)).toEqual(['a completed 1'])
    expect(await process.status(executionId)).toBe('completed')
  })

  it('a hook that fails is called six times with one idempotency key, is logged, and changes nothing', async () => {
    const keys: string[] = []
    const flow = createWorkflow(
      {
        id: 'w',
        onEnd: ({ idempotencyKey, attempt }) => {
          keys.push(`${attempt} ${idempotencyKey}`)
          throw new RangeError('no mail')
        },
        onError: () => undefined,
      },
      giving('a', 1),
    )
    const process = await engines.start([flow], { onExecutionEnd: () => undefined })
    const { executionId } = await process.execute('w')
    for (let attempt = 1; attempt <= 5; attempt++) {
      await expect.poll(() => keys.length).toBe(attempt)
      await until(
        async () =>
          (await process.store.executions.steps(executionId)).some(
            ({ wakeAt, failures }) => wakeAt && failures === attempt,
          ),
        `the failure of attempt ${attempt}`,
      )
      process.clock.advance(60_000)
      await process.store.dispatcher.change({
        add: [{ key: 'now', job: { kind: 'wake', id: executionId, sequence: 0 } }],
      })
    }
    await ended(process, executionId, ['onEnd error 6', 'onExecutionEnd completed 1'])
    expect(keys).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${n} ${executionId}::onEnd`))
    expect(process.logs).toContainEqual(
      expect.objectContaining({ msg: 'A hook of the execution failed', hook: 'onEnd', executionId }),
    )
    const record = await process.detail(executionId)
    expect(record).toMatchObject({ status: 'completed', output: 1 })
    expect(record.hooks?.[0]?.error).toMatchObject({ name: 'RangeError', message: 'no mail' })
  })

  it('a hook survives a crash: what it has recorded is not repeated, and the interrupted call is', async () => {
    const runs: string[] = []
    const note = async (step: Pick<StepCalls, 'run'>) => {
      await step.run('mail', () => void runs.push('mail'))
      await step.run('post', async ({ attempt }) => {
        runs.push(`post ${attempt}`)
        if (attempt === 1) await new Promise(() => undefined)
      })
    }
    const flow = createWorkflow({ id: 'w', onEnd: ({ step }) => note(step) }, giving('a', 1))
    const before = await engines.start([flow])
    const { executionId } = await before.execute('w')
    await expect.poll(() => runs).toEqual(['mail', 'post 1'])
    await before.crash()
    const after = await engines.next(before)
    await ended(after, executionId, ['onEnd completed 2'])
    expect(runs).toEqual(['mail', 'post 1', 'post 2'])
    const [hook] = (await after.detail(executionId)).hooks ?? []
    expect(hook?.steps?.map(({ path, status }) => `${path} ${status}`)).toEqual([
      ':onEnd/mail completed',
      ':onEnd/post completed',
    ])
    await noJobs(after)
  })

  it('a hook whose process ended before it began is called by the next one', async () => {
    const calls: string[] = []
    const flow = createWorkflow(
      { id: 'w', onEnd: ({ executionId }) => void calls.push(executionId) },
      failing('a'),
    )
    const before = await engines.start([flow])
    const started = await before.startExecution('w')
    // written with the end, before anything can run
    await started.result().catch(() => before.crash())
    const after = await engines.next(before)
    await ended(after, started.executionId, [expect.stringMatching(/^onEnd completed [12]$/) as string])
    expect(new Set(calls)).toEqual(new Set([started.executionId]))
  })

  it('a hook is interrupted by a stop of the server, and goes on in the next process', async () => {
    const runs: number[] = []
    const flow = createWorkflow(
      {
        id: 'w',
        onEnd: ({ attempt }) => {
          runs.push(attempt)
          return attempt === 1 ? new Promise(() => undefined) : undefined
        },
      },
      giving('a', 1),
    )
    const before = await engines.start([flow])
    const { executionId } = await before.execute('w')
    await expect.poll(() => runs).toEqual([1])
    await before.stop(0)
    const after = await engines.next(before)
    await ended(after, executionId, ['onEnd completed 2'])
  })

  it('a hook that kills its process again and again is given up', async () => {
    let runs = 0
    const flow = createWorkflow(
      {
        id: 'w',
        onEnd: () => {
          runs++
          return new Promise(() => undefined)
        },
      },
      giving('a', 1),
    )
    let process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    for (let crash = 1; crash <= 11; crash++) {
      await expect.poll(() => runs).toBe(crash)
      await process.crash()
      process = await engines.next(process)
    }
    await ended(process, executionId, ['onEnd error 11'])
    expect((await process.detail(executionId)).hooks?.[0]?.error?.name).toBe('CrashLoopError')
  })

  it('a hook that waits fails, and says that a hook cannot wait', async () => {
    const flow = createWorkflow(
      {
        id: 'w',
        onEnd: ({ step }) =>
          step.run('call', ({ step: inner }) => inner.suspend('ask', { reason: 'why' }) as Promise<null>),
      },
      giving('a', 1),
    )
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    await ended(process, executionId, ['onEnd error 0'])
    const [hook] = (await process.detail(executionId)).hooks ?? []
    expect(hook?.error?.message).toBe("A hook can't wait: why")
    await noJobs(process)
  })

  it('hooks of children are called too, and a replay does not copy hooks', async () => {
    const calls: string[] = []
    const child = createWorkflow({ id: 'child' }, giving('c', 1))
    const parent = createWorkflow({ id: 'parent' })
      .andWorkflow({ id: 'run', workflow: child })
      .andThen({ id: 'last', execute: () => 2 })
    const process = await engines.start([parent, child], {
      onExecutionEnd: ({ workflowId }) => void calls.push(workflowId),
    })
    const { executionId } = await process.execute('parent')
    await ended(process, executionId, ['onExecutionEnd completed 1'])
    await expect.poll(() => calls.toSorted()).toEqual(['child', 'parent'])
    const replay = await process.engine.executions.replay({ executionId }, 'last', { decider: CODE_DECIDES })
    await replay.result()
    await ended(process, replay.executionId, ['onExecutionEnd completed 1'])
    expect(calls.length).toBe(3)
  })

  it('an execution whose workflow has no hook gets no job', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w', onError: () => undefined }, giving('a', 1)),
    ])
    const { executionId } = await process.execute('w')
    await noJobs(process)
    expect(await process.detail(executionId)).not.toHaveProperty('hooks')
  })

  it('a hook of a deleted record is dropped', async () => {
    const gate = createDeferred<void>()
    const flow = createWorkflow({ id: 'w', onEnd: () => gate.promise }, giving('a', 1))
    const process = await engines.start([flow])
    const { executionId } = await process.execute('w')
    await ended(process, executionId, ['onEnd running 1'])
    const { erasure } = process.engine
    await erasure.delete(await erasure.ofExecution({ executionId }))
    gate.resolve()
    await expect.poll(() => process.holds).toBe(0)
    expect(process.logs.filter(({ level }) => level >= 50)).toEqual([])
  })

  it('hooks are functions', () => {
    const flow = createWorkflow({ id: 'w', onEnd: 'mail' as never }, andThen({ id: 'a', execute: () => 1 }))
    expect(messagesOf(flow)).toEqual(['onEnd must be a function'])
  })
}
