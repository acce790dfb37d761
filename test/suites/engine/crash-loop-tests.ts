import { expect, it, vi } from 'vitest'
import { createDeferred } from '../../../src/lib/async/deferred.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andTap } from '../../../src/workflow/steps/and-tap.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { turns } from '../../support/turns.ts'
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

  it('steps that were only running beside the one that crashes the process do not fail', async () => {
    const { run, running } = poison()
    const bystander = gated('long')
    const branch = gated('branch')
    const workflows = [
      createWorkflow({ id: 'long' }, bystander.step),
      createWorkflow({ id: 'poison' }).andAll({
        id: 'all',
        steps: [andThen({ id: 'bad', execute: run }), branch.step],
      }),
    ]
    let now = await engines.start(workflows)
    const { executionId: long } = await now.startExecution('long')
    const { executionId: bad } = await now.startExecution('poison')
    await bystander.running
    await branch.running
    for (const count of [1, 2]) {
      await running(count)
      now = await crash(now)
    }
    // suspected like the others: each runs alone, in any order
    bystander.open()
    branch.open()
    await running(3)
    now = await crash(now)
    await expectCrashLoop(now, bad, 'bad')
    await expect.poll(() => now.status(long)).toBe('completed')
    expect((await now.step(bad, 'all/branch'))?.error).toBeUndefined()
  })

  it('only the suspected step that was running at the third crash fails; the others complete', async () => {
    const { run, running } = poison()
    const first = gated('first')
    const workflows = [
      createWorkflow({ id: 'bad' }, andThen({ id: 'bad', execute: run })),
      createWorkflow({ id: 'good' }, first.step),
    ]
    let now = await engines.start(workflows)
    const bad = await now.startExecution('bad')
    const good = await Promise.all(Array.from({ length: 5 }, () => now.startExecution('good')))
    for (const count of [1, 2, 3]) {
      // those that come before it in the queue
      if (count === 3) first.open()
      await running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, bad.executionId, 'bad')
    for (const { executionId } of good) await expect.poll(() => now.status(executionId)).toBe('completed')
  })

  it('a step that crashes the process later than another one is not taken for a step beside it', async () => {
    const first = poison()
    const second = poison()
    const bystander = gated('good')
    const workflows = [
      createWorkflow({ id: 'good' }, bystander.step),
      createWorkflow({ id: 'first' }, andThen({ id: 'bad', execute: first.run })),
      createWorkflow({ id: 'second' }, andThen({ id: 'worse', execute: second.run })),
    ]
    let now = await engines.start(workflows)
    const good = await now.startExecution('good')
    await bystander.running
    const bad = await now.startExecution('first')
    await first.running(1)
    now = await crash(now)
    await first.running(2)
    const worse = await now.startExecution('second')
    await second.running(1)
    now = await crash(now)
    // the bystander or the first one runs alone; the second one, which was running at one crash, waits
    await expect.poll(() => now.engine.running.size).toBe(3)
    await turns(50)
    expect(second.run).toHaveBeenCalledTimes(1)
    bystander.open()
    await first.running(3)
    expect(second.run).toHaveBeenCalledTimes(1)
    now = await crash(now)
    await expectCrashLoop(now, bad.executionId, 'bad')
    for (const count of [2, 3]) {
      await second.running(count)
      now = await crash(now)
    }
    await expectCrashLoop(now, worse.executionId, 'worse')
    await expect.poll(() => now.status(good.executionId)).toBe('completed')
  })

  it('a waiting suspected step can be cancelled and suspended, and does not block the next one', async () => {
    const { run, running } = poison()
    const workflows = ['a', 'b', 'c', 'd'].map((id) => createWorkflow({ id }, andThen({ id, execute: run })))
    let now = await engines.start(workflows)
    const ids: string[] = []
    for (const { id } of workflows) ids.push((await now.startExecution(id)).executionId)
    await running(4)
    now = await crash(now)
    await running(8)
    now = await crash(now)
    await running(9)
    const attempts = async (id: string) => (await now.detail(id)).steps[0]?.attempts ?? 0
    const alone = await until(async () => {
      const counts = await Promise.all(ids.map((id) => attempts(id)))
      return ids[counts.indexOf(3)]
    })
    const [b = '', c = '', d = ''] = ids.filter((id) => id !== alone)
    await now.engine.executions.cancel({ executionId: b })
    await now.engine.executions.suspend({ executionId: c })
    expect(await now.status(c)).toBe('suspended')
    await now.engine.executions.cancel({ executionId: alone })
    await running(10)
    await until(async () => (await attempts(d)) === 3, 'the third attempt of the last one')
    expect(run).toHaveBeenCalledTimes(10)
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
      `Recovering execution ${executionId} of workflow "w", which was running "a" (crash 1 of 3)`,
    ])
  })

  function logged({ logs }: EngineProcess): string[] {
    return logs.map(({ msg }) => msg).filter((msg) => msg.startsWith('Recovering'))
  }
}
