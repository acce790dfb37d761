import { once } from 'node:events'
import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { Engines } from './engine-suite.ts'
import { gated, giving, interrupted, never, suspending } from './sample-steps.ts'

/** Recovery in the next process, after a crash or a stop. */
export function recoveryTests(engines: Engines): void {
  it('an execution continues at its last recorded step: no step runs twice, and the interrupted one counts on', async () => {
    const runs: string[] = []
    const attempts: number[] = []
    const first = createWorkflow({ id: 'w' })
      .andThen({ id: 'a', execute: ({ idempotencyKey }) => void runs.push(idempotencyKey) })
      .andAll({
        id: 'g',
        steps: [
          andThen({ id: 'b', execute: ({ attempt }) => runs.push(`b${attempt}`) }),
          andWhen({ id: 'w', condition: () => runs.push('condition') > 0, step: interrupted('c', attempts) }),
        ],
      })
      .andThen({ id: 'd', execute: () => runs.push('d') })
    const before = await engines.start([first])
    const { executionId } = await before.startExecution('w', { n: 1 })
    await before.reached(executionId, 'g/w/c')
    await before.recorded(executionId, 'g/b', 'completed')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(runs.toSorted()).toEqual([`${executionId}:a`, 'b1', 'condition', 'd'].toSorted())
    expect(attempts).toEqual([1, 2])
    expect((await after.steps(executionId)).toSorted()).toEqual([
      'a completed 1',
      'd completed 1',
      'g completed 1',
      'g/b completed 1',
      'g/w completed 1',
      'g/w/c completed 2',
    ])
    const numbers = (await after.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    const starts = (await after.events(executionId)).filter(({ type }) => type === 'step-start')
    expect(starts.map(({ from, attempt }) => `${String(from)} ${String(attempt)}`)).toEqual([
      'a 1',
      'g 1',
      'b 1',
      'w 1',
      'c 1',
      'c 2',
      'd 1',
    ])
  })

  it('the process that recovers an execution owns it, so that the earlier one cannot write', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }, interrupted('a'))])
    const { executionId } = await before.startExecution('w')
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    const row = await after.store.executions.get(executionId)
    expect(row?.ownerEpoch).toBe(after.store.ownerEpoch)
    expect(after.store.ownerEpoch).not.toBe(before.store.ownerEpoch)
  })

  it('recovered executions are logged together, and not each by itself', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }).andSleep({ id: 'rest', for: '4s' })])
    await Promise.all(Array.from({ length: 1010 }, () => before.startExecution('w')))
    await before.crash()
    const after = await engines.next(before)
    const lines = () => after.logs.map(({ msg }) => msg).filter((msg) => msg.startsWith('Recovered'))
    const counts = () => lines().map((line) => Number(/^Recovered (\d+) execution/.exec(line)?.[1]))
    await expect.poll(() => counts().reduce((sum, count) => sum + count, 0), { timeout: 30_000 }).toBe(1010)
    expect(lines().length).toBeLessThan(30)
  })

  it('a crash is not a failure: no retry is used up', async () => {
    const attempts: number[] = []
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 0 },
      execute: ({ attempt }): Promise<unknown> => {
        attempts.push(attempt)
        if (attempt === 1) return new Promise(() => undefined)
        return attempt === 2 ? Promise.reject(new Error('no')) : Promise.resolve('done')
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.startExecution('w')
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('a retry waits for the rest of its pause', async () => {
    const times: number[] = []
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 3_600_000, maxDelayMs: 3_600_000 },
      execute: () => {
        times.push(before.clock.now())
        if (times.length === 1) throw new Error('again')
        return 'done'
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.startExecution('w')
    await expect.poll(() => before.story(executionId)).toContain('step-error a')
    await before.crash()
    before.clock.advance(3_600_000 - 50)
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3_600_000 - 1)
  })

  it('a retry waits at most its delay when the clock was set back in between', async () => {
    const times: number[] = []
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 300 },
      execute: () => {
        times.push(performance.now())
        if (times.length === 1) throw new Error('again')
        return 'done'
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.startExecution('w')
    await expect.poll(() => before.story(executionId)).toContain('step-error a')
    await before.crash()
    before.clock.advance(-24 * 3_600_000)
    const restarted = performance.now()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((times[1] ?? 0) - restarted).toBeGreaterThanOrEqual(290)
  })

  it('a race that was won before the crash keeps its winner', async () => {
    let won = 0
    // the winner is recorded, the result of the race is not
    const race = createWorkflow({ id: 'w' }).andRace({
      id: 'r',
      steps: [never('loser'), andThen({ id: 'winner', execute: () => ++won })],
    })
    const before = await engines.start([race])
    before.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'r' && status === 'completed')),
    )
    const { executionId } = await before.startExecution('w')
    await expect.poll(() => before.store.failedWrites).toBe(1)
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.detail(executionId)).output).toBe(won)
    expect((await after.step(executionId, 'r/loser'))?.status).toBe('cancelled')
  })

  it('hundreds of executions are recovered, and none stays running', async () => {
    let crashed = false
    const waits = andThen({
      id: 'b',
      execute: () => (crashed ? 'done' : new Promise<string>(() => undefined)),
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, giving('a', 1), waits)])
    const started = await Promise.all(Array.from({ length: 450 }, () => before.startExecution('w')))
    crashed = true
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.engine.queries.count({ status: 'completed' })).toBe(started.length)
    expect(after.engine.running.has('w')).toBe(false)
    const recovered = () => after.logs.map(({ msg }) => Number(/^Recovered (\d+) exec/.exec(msg)?.[1] ?? 0))
    await expect.poll(() => recovered().reduce((sum, count) => sum + count)).toBe(450)
  })

  it('a suspended execution is not changed', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await before.execute('w')
    const record = await before.detail(executionId)
    await before.crash()
    const after = await engines.next(before)
    expect(await after.detail(executionId)).toEqual(record)
    expect(after.holds).toBe(0)
  })

  it('an execution waits while its workflow is not in the configuration', async () => {
    const workflows = [createWorkflow({ id: 'w' }, interrupted('a'))]
    const before = await engines.start(workflows)
    const { executionId } = await before.startExecution('w', { n: 1 })
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before, [])
    await expect
      .poll(() => after.logs.map(({ msg }) => msg))
      .toContainEqual(expect.stringMatching(/^1 execution\(s\) can't be recovered/))
    expect(await after.status(executionId)).toBe('running')
    after.reload(workflows)
    await after.engine.recover()
    await expect.poll(() => after.status(executionId)).toBe('completed')
  })

  it('a stop waits for the running step, and the next process continues after it', async () => {
    const { step, running, open } = gated('slow')
    const before = await engines.start([createWorkflow({ id: 'w' }, step, giving('b', 'b'))])
    const started = await before.startExecution('w')
    const { executionId } = started
    const answer = started.result()
    answer.catch(() => undefined)
    await running
    const stopped = before.engine.stop({ graceMs: 60_000 })
    open()
    await stopped
    await expect(answer).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      message:
        'The server is shutting down; the execution continues on another machine, or when a server starts again',
    })
    expect(await before.status(executionId)).toBe('running')
    expect(await before.steps(executionId)).toEqual(['slow completed 1'])
    await expect(before.startExecution('w')).rejects.toMatchObject({ code: 'unavailable' })
    await before.store.close()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.step(executionId, 'slow'))?.output).toBe(1)
    expect(await after.steps(executionId)).toEqual(['slow completed 1', 'b completed 1'])
  })

  it('steps that do not end within the grace period are aborted, and run again in the next process', async () => {
    const aborted: string[] = []
    const child = createWorkflow({ id: 'child' }, never('deep', aborted))
    const workflows = [
      createWorkflow({ id: 'w' }, never('a', aborted)),
      createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child }),
      child,
    ]
    const before = await engines.start(workflows)
    const ids = [
      (await before.startExecution('w')).executionId,
      (await before.startExecution('mother')).executionId,
    ]
    await before.reached(ids[0] ?? '', 'a')
    await before.reached(ids[1] ?? '', 'down')
    const childId = await before.child(ids[1] ?? '')
    await before.reached(childId, 'deep')
    const startedAt = performance.now()
    await before.engine.stop({ graceMs: 20 })
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(aborted.toSorted()).toEqual(['a', 'deep'])
    expect(before.holds).toBe(0)
    await before.store.close()
    const after = await engines.next(before)
    for (const id of ids) expect(await after.status(id)).toBe('running')
    expect(await after.engine.queries.count({ status: 'running' })).toBe(3)
  })

  it('a stop that aborts signals waits until steps have ended, and an interrupted attempt is no failure', async () => {
    const story: string[] = []
    const running = [createDeferred<void>(), createDeferred<void>()] as const
    const finish = createDeferred<number>()
    const obedient = andThen({
      id: 'obedient',
      execute: async ({ signal, attempt }): Promise<string> => {
        if (attempt === 2) return 'done'
        running[0].resolve()
        await once(signal, 'abort')
        await Promise.resolve()
        story.push('cleaned up')
        throw signal.reason
      },
    })
    const stubborn = andThen({
      id: 'stubborn',
      execute: ({ signal }): Promise<number> => {
        running[1].resolve()
        signal.addEventListener('abort', () => finish.resolve(1))
        return finish.promise
      },
    })
    const workflows = [
      createWorkflow({ id: 'group' }).andAll({ id: 'all', steps: [obedient] }),
      createWorkflow({ id: 'w' }, stubborn, giving('b', 'b')),
    ]
    const before = await engines.start(workflows)
    const [group, w] = [await before.startExecution('group'), await before.startExecution('w')].map(
      ({ executionId }) => executionId,
    )
    await Promise.all(running.map(({ promise }) => promise))
    await before.engine.stop({ graceMs: 60_000, abortSignals: true })
    expect(story).toEqual(['cleaned up'])
    expect(await before.status(group ?? '')).toBe('running')
    expect(await before.steps(w ?? '')).toEqual(['stubborn completed 1'])
    await before.store.close()
    const after = await engines.next(before)
    for (const id of [group, w]) await expect.poll(() => after.status(id ?? '')).toBe('completed')
    expect(await after.steps(group ?? '')).toContain('all/obedient completed 2')
  })

  it('children of an execution that was cancelled just before the crash are cancelled', async () => {
    const child = createWorkflow({ id: 'child' }, interrupted('c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const before = await engines.start([child, mother])
    const { executionId } = await before.startExecution('mother')
    await before.reached(executionId, 'down')
    const childId = await before.child(executionId)
    before.store.refuse((writes) => writes.some(({ id }) => id === childId))
    await expect(before.engine.executions.cancel({ executionId })).rejects.toThrow('could not be stored')
    await before.crash()
    const after = await engines.next(before)
    expect(await after.status(executionId)).toBe('cancelled')
    await expect.poll(() => after.status(childId)).toBe('cancelled')
  })

  it('a job cancels the suspended child of an execution that was cancelled just before the crash', async () => {
    const child = createWorkflow({ id: 'child' }, suspending('c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const before = await engines.start([child, mother])
    const { executionId } = await before.execute('mother')
    const childId = await before.child(executionId)
    before.store.refuse((writes) => writes.some(({ id }) => id === childId))
    await expect(before.engine.executions.cancel({ executionId })).rejects.toThrow('could not be stored')
    const job = before.store.jobs.flatMap(({ add = [] }) => add).find(({ key }) => key.includes(childId))
    expect(job).toMatchObject({ job: { kind: 'cancel-child', id: childId }, at: expect.any(Number) })
    await before.crash()
    const after = await engines.next(before)
    expect(await after.status(executionId)).toBe('cancelled')
    await after.store.dispatcher.change({ add: [{ key: 'now', job: job!.job }] })
    await expect.poll(() => after.status(childId)).toBe('cancelled')
  })

  it('an execution that was starting a child at the stop continues', async () => {
    const preparing = createDeferred<void>()
    const prepared = createDeferred<Record<string, unknown>>()
    const child = createWorkflow({ id: 'child' }, giving('c', 'c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({
      id: 'down',
      workflow: child,
      input: async () => {
        preparing.resolve()
        return prepared.promise
      },
    })
    const before = await engines.start([child, mother])
    const { executionId } = await before.startExecution('mother')
    await preparing.promise
    const stopped = before.stop(60_000)
    prepared.resolve({})
    await stopped
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
  })

  it('a stop does not wait for the pause before a retry', async () => {
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 3_600_000 },
      execute: ({ attempt }): number => {
        if (attempt === 1) throw new Error('again')
        return attempt
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.startExecution('w')
    await expect.poll(() => before.story(executionId)).toContain('step-error a')
    await before.stop(3_600_000)
    const after = await engines.next(before)
    expect(await after.status(executionId)).toBe('running')
  })
}
