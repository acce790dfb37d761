import { expect, it, vi } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andTap } from '../../../src/workflow/steps/and-tap.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { gated, giving } from './sample-steps.ts'

/** A function that never returns: the test crashes the process while it runs. */
function poison() {
  const run = vi.fn<() => Promise<string>>(() => new Promise<string>(() => undefined))
  /** Waits until it runs for the nth time. */
  const running = (count: number) => until(() => run.mock.calls.length >= count, `run ${count}`)
  return { run, running }
}

/** Steps that were running when the process crashed, again and again. */
export function crashLoopTests(engines: Engines): void {
  async function crash(before: EngineProcess): Promise<EngineProcess> {
    await before.crash()
    return engines.next(before)
  }

  async function expectCrashLoop(now: EngineProcess, executionId: string, stepId: string): Promise<void> {
    await expect.poll(() => now.status(executionId)).toBe('error')
    const { error } = await now.detail(executionId)
    expect(error).toMatchObject({
      name: 'CrashLoopError',
      stepId,
      message: expect.stringContaining('3 times'),
    })
  }

  it('a step during which the process crashed three times fails with CrashLoopError, whatever its retries', async () => {
    const { run, running } = poison()
    const workflow = createWorkflow(
      { id: 'w' },
      giving('a', 1),
      andThen({ id: 'b', retries: 9, execute: run }),
    )
    let now = await engines.start([workflow])
    const { executionId } = await now.startExecution('w')
    for (const count of [1, 2, 3]) {
      await running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, executionId, 'b')
    expect(await now.steps(executionId)).toEqual(['a completed 1', 'b error 3'])
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('a tap during which the process crashed three times is recorded as failed, and the execution continues', async () => {
    const { run, running } = poison()
    let now = await engines.start([
      createWorkflow({ id: 'w' }, andTap({ id: 'tap', execute: run }), giving('b', 1)),
    ])
    const { executionId } = await now.startExecution('w')
    for (const count of [1, 2, 3]) {
      await running(count)
      now = await crash(now)
    }
    await expect.poll(() => now.status(executionId)).toBe('completed')
    expect(await now.steps(executionId)).toEqual(['tap error 3', 'b completed 1'])
  })

  it('a condition and an input mapping during which the process crashed three times fail their step', async () => {
    const condition = poison()
    const mapping = poison()
    const child = createWorkflow({ id: 'child' }, giving('a', 1))
    const workflows = [
      createWorkflow({ id: 'when' }).andWhen({
        id: 'decide',
        condition: async () => Boolean(await condition.run()),
        step: giving('a', 1),
      }),
      createWorkflow({ id: 'parent' }).andWorkflow({
        id: 'call',
        workflow: child,
        input: async () => ({ from: await mapping.run() }),
      }),
      child,
    ]
    let now = await engines.start(workflows)
    const when = await now.startExecution('when')
    // one after the other: only one of them may be running at the last crash
    for (const count of [1, 2, 3]) {
      await condition.running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, when.executionId, 'decide')
    const parent = await now.startExecution('parent')
    for (const count of [1, 2, 3]) {
      await mapping.running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, parent.executionId, 'call')
    expect(await now.children(parent.executionId)).toEqual([])
  })

  it('a loop goes on after crashes in each of its rounds, and in each evaluation of its condition', async () => {
    const round = poison()
    const condition = poison()
    const zero = giving('zero', 0)
    const workflow = createWorkflow({ id: 'w' }, zero).andDoWhile({
      id: 'loop',
      step: andThen({
        id: 'round',
        execute: async ({ data, attempt }) => {
          if (attempt === 1) await round.run()
          return data + 1
        },
      }),
      condition: async ({ data }) => {
        if (condition.run.mock.calls.length < data) await condition.run()
        return data < 4
      },
    })
    let now = await engines.start([workflow])
    const { executionId } = await now.startExecution('w')
    for (const count of [1, 2, 3, 4]) {
      await round.running(count)
      now = await crash(now)
      await condition.running(count)
      now = await crash(now)
    }
    await expect.poll(() => now.status(executionId)).toBe('completed')
    expect((await now.detail(executionId)).output).toBe(4)
  })

  it('a condition of a loop during which the process crashed three times fails the loop', async () => {
    const condition = poison()
    const workflow = createWorkflow({ id: 'w' }, giving('zero', 0)).andDoUntil({
      id: 'loop',
      step: giving('round', 1),
      condition: async () => Boolean(await condition.run()),
    })
    let now = await engines.start([workflow])
    const { executionId } = await now.startExecution('w')
    for (const count of [1, 2, 3]) {
      await condition.running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, executionId, 'loop')
    expect(condition.run).toHaveBeenCalledTimes(3)
  })

  /** Crashes whenever a step runs, until it does no more. */
  async function crashUntilDone(
    now: EngineProcess,
    { run }: ReturnType<typeof poison>,
    executionId: string,
  ): Promise<EngineProcess> {
    for (let crashes = 0; crashes < 30; crashes++) {
      const runs = run.mock.calls.length
      await until(
        async () => run.mock.calls.length > runs || (await now.status(executionId)) !== 'running',
        `run ${runs + 1}, or the end`,
      )
      if ((await now.status(executionId)) !== 'running') return now
      now = await crash(now)
    }
    throw new Error('It was running at 30 crashes')
  }

  it('steps that were running beside the one that crashes the process do not fail, whatever the number of crashes', async () => {
    const bad = poison()
    const bystander = gated('long')
    const branch = gated('branch')
    const workflows = [
      createWorkflow({ id: 'long' }, bystander.step),
      createWorkflow({ id: 'poison' }).andAll({
        id: 'all',
        steps: [andThen({ id: 'bad', execute: bad.run }), branch.step],
      }),
    ]
    let now = await engines.start(workflows)
    const long = await now.startExecution('long')
    const poisoned = await now.startExecution('poison')
    await bystander.running
    await branch.running
    await bad.running(1)
    now = await crash(now)
    now = await crashUntilDone(now, bad, poisoned.executionId)
    await expectCrashLoop(now, poisoned.executionId, 'bad')
    bystander.open()
    branch.open()
    await expect.poll(() => now.status(long.executionId)).toBe('completed')
    expect((await now.step(poisoned.executionId, 'all/branch'))?.error).toBeUndefined()
  })

  it('a step that crashes the process is found among many, and the others complete', async () => {
    const bad = poison()
    const good = gated('good')
    const workflows = [
      createWorkflow({ id: 'bad' }, andThen({ id: 'bad', execute: bad.run })),
      createWorkflow({ id: 'good' }, good.step),
    ]
    let now = await engines.start(workflows)
    const others = await Promise.all(Array.from({ length: 8 }, () => now.startExecution('good')))
    const { executionId } = await now.startExecution('bad')
    await bad.running(1)
    now = await crash(now)
    now = await crashUntilDone(now, bad, executionId)
    await expectCrashLoop(now, executionId, 'bad')
    // one crash with all of them, four to find it, three with nothing else running, and a margin for what begins late
    expect(bad.run.mock.calls.length).toBeLessThanOrEqual(12)
    good.open()
    for (const other of others) await expect.poll(() => now.status(other.executionId)).toBe('completed')
  })

  it('a step during which a caller crashes the process again and again completes', async () => {
    const long = gated('long')
    const bad = poison()
    let now = await engines.start([
      createWorkflow({ id: 'long' }, long.step),
      createWorkflow({ id: 'bad' }, andThen({ id: 'bad', execute: bad.run })),
    ])
    const { executionId } = await now.startExecution('long')
    await long.running
    for (let n = 1; n <= 3; n++) {
      const sent = await now.startExecution('bad')
      await bad.running(1)
      now = await crash(now)
      now = await crashUntilDone(now, bad, sent.executionId)
      await expectCrashLoop(now, sent.executionId, 'bad')
      bad.run.mockClear()
    }
    long.open()
    await expect.poll(() => now.status(executionId)).toBe('completed')
  })

  it('an execution that waits for its trial says so, and can be cancelled and suspended', async () => {
    const { run, running } = poison()
    const workflows = ['a', 'b', 'c', 'd'].map((id) => createWorkflow({ id }, andThen({ id, execute: run })))
    let now = await engines.start(workflows, { trialMs: 60_000 })
    const ids: string[] = []
    for (const { id } of workflows) ids.push((await now.startExecution(id)).executionId)
    await running(4)
    now = await crash(now)
    await running(6)
    const waits = async (id: string) => (await now.detail(id)).waiting
    const waiting = await until(async () => {
      const found: string[] = []
      for (const id of ids) if ((await waits(id))?.reason === 'suspected') found.push(id)
      return found.length === 2 ? found : undefined
    }, 'two that wait')
    const [b = '', c = ''] = waiting
    expect(await waits(b)).toEqual({ reason: 'suspected', since: expect.any(String) })
    await now.engine.executions.cancel({ executionId: b })
    await now.engine.executions.suspend({ executionId: c })
    expect(await now.status(c)).toBe('suspended')
    expect(await waits(c)).toBeUndefined()
    expect(run).toHaveBeenCalledTimes(6)
  })

  it('stopping the process is not a crash of the steps that it interrupts', async () => {
    const { run, running } = poison()
    let now = await engines.start([createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: run }))])
    const { executionId } = await now.startExecution('w')
    for (const count of [1, 2, 3, 4]) {
      await running(count)
      await now.stop(0)
      now = await engines.next(now)
    }
    await running(5)
    expect(await now.steps(executionId)).toEqual(['a running 5'])
  })

  it('a step whose result the database refused has not crashed the process', async () => {
    const started = createDeferred<void>()
    let runs = 0
    const step = andThen({
      id: 'a',
      execute: async () => {
        runs++
        started.resolve()
        await new Promise((resolve) => setImmediate(resolve))
        return runs
      },
    })
    const now = await engines.start([createWorkflow({ id: 'w' }, step)])
    now.store.refuse(
      (writes) => runs < 5 && writes.some(({ steps }) => steps?.some(({ status }) => status === 'completed')),
    )
    const { executionId } = await now.startExecution('w')
    for (let count = 1; count < 5; count++) {
      await until(() => runs >= count, `run ${count}`)
      await until(() => !now.engine.running.has('w'), 'the end of the run')
      await now.engine.recover()
    }
    await expect.poll(() => now.status(executionId)).toBe('completed')
  })

  it('a recovery is logged before the step runs, with the step that was running', async () => {
    const { run, running } = poison()
    let now = await engines.start([createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: run }))])
    const { executionId } = await now.startExecution('w')
    await running(1)
    const seen: string[] = []
    await now.crash()
    run.mockImplementation(() => {
      seen.push(...logged(now))
      return new Promise(() => undefined)
    })
    const next = engines.next(now)
    now = await next
    await running(2)
    expect(logged(now)).toEqual([
      `Recovering what was running at a crash of the process: step "a" of execution ${executionId} (crash 1 of 3 with nothing else running)`,
    ])
  })

  function logged({ logs }: EngineProcess): string[] {
    return logs.map(({ msg }) => msg).filter((msg) => msg.startsWith('Recovering'))
  }
}
