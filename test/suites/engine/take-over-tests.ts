import { expect, it } from 'vitest'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, sleep, suspending } from './sample-steps.ts'

/** Stops in its first attempt for ever, as a step that a crash cuts short. */
function cutShort(id: string, attempts: number[] = []) {
  return andThen({
    id,
    execute: ({ attempt, data }): Promise<unknown> => {
      attempts.push(attempt)
      return attempt === 1 ? new Promise(() => undefined) : Promise.resolve(data)
    },
  })
}

/** Crashes, stops, and the process that comes after. */
export function takeOverTests(engines: Engines): void {
  it('goes on from the last recorded step: none runs twice, and the one cut short counts on', async () => {
    const runs: string[] = []
    const attempts: number[] = []
    const first = createWorkflow({ id: 'w' })
      .andThen({ id: 'a', execute: ({ idempotencyKey }) => void runs.push(idempotencyKey) })
      .andAll({
        id: 'g',
        steps: [
          andThen({ id: 'b', execute: ({ attempt }) => runs.push(`b${attempt}`) }),
          andWhen({ id: 'w', condition: () => runs.push('condition') > 0, step: cutShort('c', attempts) }),
        ],
      })
      .andThen({ id: 'd', execute: () => runs.push('d') })
    const before = await engines.start([first])
    const { executionId } = await before.begin('w', { n: 1 })
    await before.reached(executionId, 'g/w/c')
    await expect.poll(async () => (await before.step(executionId, 'g/b'))?.status).toBe('completed')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(runs).toEqual([`${executionId}:a`, 'condition', 'b1', 'd'])
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

  it('makes the process that recovers an execution its owner, so that the earlier one cannot write', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }, cutShort('a'))])
    const { executionId } = await before.begin('w')
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    const row = await after.store.executions.get(executionId)
    expect(row?.ownerEpoch).toBe(after.store.ownerEpoch)
    expect(after.store.ownerEpoch).toBeGreaterThan(before.store.ownerEpoch)
  })

  it('does not count a crash as a failure: the retries are still there', async () => {
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
    const { executionId } = await before.begin('w')
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('waits for what is left of the pause before a retry', async () => {
    const times: number[] = []
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 60 },
      execute: () => {
        times.push(Date.now())
        if (times.length === 1) throw new Error('again')
        return 'done'
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.begin('w')
    await expect.poll(() => before.story(executionId), { interval: 1 }).toContain('step-error a')
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(59)
  })

  it('runs a race on with the branch that had won before the crash', async () => {
    let won = 0
    // the winner is recorded; the crash comes before the race is
    const race = createWorkflow({ id: 'w' }).andRace({
      id: 'r',
      steps: [never('loser'), andThen({ id: 'winner', execute: () => ++won })],
    })
    const before = await engines.start([race])
    before.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'r' && status === 'completed')),
    )
    const { executionId } = await before.begin('w')
    await sleep(8)
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.detail(executionId)).output).toBe(won)
    expect((await after.step(executionId, 'r/loser'))?.status).toBe('cancelled')
  })

  it('takes up many, and leaves none running', async () => {
    let crashed = false
    const waits = andThen({
      id: 'b',
      execute: () => (crashed ? 'done' : new Promise<string>(() => undefined)),
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, giving('a', 1), waits)])
    const started = await Promise.all(Array.from({ length: 450 }, () => before.begin('w')))
    crashed = true
    await before.crash()
    const after = await engines.next(before)
    await expect
      .poll(() => after.engine.queries.count({ status: 'completed' }), { timeout: 5000 })
      .toBe(started.length)
    expect(after.engine.isRunning('w')).toBe(false)
    expect(after.logs).toContainEqual(expect.objectContaining({ msg: 'Recovered 450 execution(s)' }))
  })

  it('leaves suspended ones alone', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await before.execute('w')
    const record = await before.detail(executionId)
    await before.crash()
    const after = await engines.next(before)
    expect(await after.detail(executionId)).toEqual(record)
    expect(after.holds).toBe(0)
  })

  it('waits for a workflow that is not in the configuration, until it comes back', async () => {
    const workflows = [createWorkflow({ id: 'w' }, cutShort('a'))]
    const before = await engines.start(workflows)
    const { executionId } = await before.begin('w', { n: 1 })
    await before.reached(executionId, 'a')
    await before.crash()
    const after = await engines.next(before, [])
    expect(await after.status(executionId)).toBe('running')
    expect(after.logs.find(({ level }) => level === 40)?.msg).toMatch(/^1 execution\(s\) can't be recovered/)
    after.reload(workflows)
    await after.engine.recover()
    await expect.poll(() => after.status(executionId)).toBe('completed')
  })

  it('stops after the running step; the next process goes on from there', async () => {
    let runs = 0
    const slow = andThen({ id: 'slow', execute: async () => (await sleep(15), ++runs) })
    const before = await engines.start([createWorkflow({ id: 'w' }, slow, giving('b', 'b'))])
    const started = await before.begin('w')
    const { executionId } = started
    const answer = started.result()
    answer.catch(() => undefined)
    await sleep(3)
    await before.engine.stop(1000)
    await expect(answer).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    expect(await before.status(executionId)).toBe('running')
    expect(await before.steps(executionId)).toEqual(['slow completed 1'])
    await expect(before.begin('w')).rejects.toMatchObject({ code: 'unavailable' })
    await before.store.close()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(runs).toBe(1)
    expect(await after.steps(executionId)).toEqual(['slow completed 1', 'b completed 1'])
  })

  it('aborts what does not stop in time, and leaves it running for the next process', async () => {
    const aborted: string[] = []
    const child = createWorkflow({ id: 'child' }, never('deep', aborted))
    const workflows = [
      createWorkflow({ id: 'w' }, never('a', aborted)),
      createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child }),
      child,
    ]
    const before = await engines.start(workflows)
    const ids = [(await before.begin('w')).executionId, (await before.begin('mother')).executionId]
    await sleep(8)
    const began = performance.now()
    await before.engine.stop(20)
    expect(performance.now() - began).toBeLessThan(500)
    expect(aborted.toSorted()).toEqual(['a', 'deep'])
    expect(before.holds).toBe(0)
    await before.store.close()
    const after = await engines.next(before)
    for (const id of ids) expect(await after.status(id)).toBe('running')
    expect(await after.engine.queries.count({ status: 'running' })).toBe(3)
  })

  it('ends the children of an execution that was cancelled just before the crash', async () => {
    const child = createWorkflow({ id: 'child' }, cutShort('c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const before = await engines.start([child, mother])
    const { executionId } = await before.begin('mother')
    await before.reached(executionId, 'down')
    const [childId = ''] = await before.children(executionId)
    before.store.refuse((writes) => writes.some(({ id }) => id === childId))
    await expect(before.engine.executions.cancel({ executionId })).rejects.toThrow('could not be stored')
    await before.crash()
    const after = await engines.next(before)
    expect(await after.status(executionId)).toBe('cancelled')
    expect(await after.status(childId)).toBe('cancelled')
  })

  it('leaves an execution running that was just starting a child', async () => {
    const child = createWorkflow({ id: 'child' }, giving('c', 'c'))
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({
      id: 'down',
      workflow: child,
      input: () => sleep(10).then(() => ({})),
    })
    const before = await engines.start([child, mother])
    const { executionId } = await before.begin('mother')
    await before.stop(1000)
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
  })

  it('does not sit out the pause before a retry when it stops', async () => {
    const step = andThen({
      id: 'a',
      retries: { limit: 1, delayMs: 400 },
      execute: ({ attempt }): number => {
        if (attempt === 1) throw new Error('again')
        return attempt
      },
    })
    const before = await engines.start([createWorkflow({ id: 'w' }, step)])
    const { executionId } = await before.begin('w')
    await sleep(5)
    const began = performance.now()
    await before.stop(1000)
    expect(performance.now() - began).toBeLessThan(300)
    const after = await engines.next(before)
    expect(await after.status(executionId)).toBe('running')
  })
}
