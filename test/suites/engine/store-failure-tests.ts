import { expect, it } from 'vitest'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, sleep, suspending } from './sample-steps.ts'

/** What happens when the database can't store anything. */
export function storeFailureTests(engines: Engines): void {
  it('acknowledges nothing that is not stored, and lives on', async () => {
    let runs = 0
    const process = await engines.start([
      createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: () => ++runs })),
    ])
    process.store.refuse()
    const started = await process.engine.executions.execute('w', {})
    await expect(started.result()).rejects.toMatchObject({ code: 'internal', status: 500 })
    await expect(started.stored()).rejects.toThrow('could not be stored')
    expect(runs).toBe(0)
    expect(process.engine.isRunning('w')).toBe(false)
    process.store.recover()
    expect(await process.engine.queries.count({})).toBe(0)
    expect((await process.execute('w')).result).toBe(1)
    expect(process.holds).toBe(0)
  })

  it('goes on with what it could not store once the database takes it again', async () => {
    const runs: string[] = []
    let full: () => void = () => process.store.refuse()
    const noting = (id: string) => andThen({ id, execute: ({ attempt }) => runs.push(`${id}${attempt}`) })
    const filling = andThen({
      id: 'b',
      execute: ({ attempt }) => {
        full()
        return runs.push(`b${attempt}`)
      },
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, noting('a'), filling, noting('c'))])
    const { executionId, result } = await process.begin('w')
    await expect(result()).rejects.toMatchObject({ code: 'internal' })
    full = () => undefined
    expect(runs).toEqual(['a1', 'b1'])
    expect(process.logs).toContainEqual(
      expect.objectContaining({ level: 50, msg: 'An execution waits for the database', executionId }),
    )
    process.store.recover()
    await expect.poll(() => process.status(executionId), { timeout: 4000 }).toBe('completed')
    expect(runs).toEqual(['a1', 'b1', 'b2', 'c1'])
    expect((await process.detail(executionId)).steps.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    const numbers = (await process.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('stores nothing of an execution after a change of it was lost', async () => {
    // the condition takes its time while the result of the first step can't be stored
    let asked: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (asked = resolve))
    let decisions = 0
    const workflow = createWorkflow({ id: 'w' }, giving('a', 'a')).andWhen({
      id: 'when',
      condition: () => (++decisions === 1 ? gate.then(() => true) : true),
      step: giving('b', 'b'),
    })
    const process = await engines.start([workflow])
    process.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'a' && status === 'completed')),
    )
    const { executionId, result } = await process.begin('w')
    const answer = result()
    answer.catch(() => undefined)
    await expect.poll(() => process.store.failures).toBe(1)
    process.store.recover()
    asked()
    await expect(answer).rejects.toMatchObject({ code: 'internal' })
    expect(await process.steps(executionId)).toEqual(['a running 1'])
    await process.engine.recover()
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect(await process.steps(executionId)).toEqual([
      'a completed 2',
      'when completed 1',
      'when/b completed 1',
    ])
    const numbers = (await process.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('stores nothing that was staged behind a change that is being lost', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({ id: 'g', steps: [giving('a', 'a', 4), giving('b', 'b', 8)] }),
    ])
    const { executionId, result } = await process.begin('w')
    const answer = result()
    answer.catch(() => undefined)
    process.store.slowDown(10)
    process.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'g/a' && status === 'completed')),
    )
    await expect(answer).rejects.toMatchObject({ code: 'internal' })
    await sleep(25)
    process.store.slowDown(0)
    process.store.recover()
    await process.engine.recover()
    await expect.poll(() => process.status(executionId)).toBe('completed')
    const numbers = (await process.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect((await process.detail(executionId)).output).toEqual(['a', 'b'])
  })

  it('fails the one execution whose change can not be stored, and none beside it', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 1))])
    process.store.refuse((writes) => writes.some(({ id }) => id === 'bad'))
    const ids = ['one', 'bad', 'two']
    const results = await Promise.allSettled(
      ids.map((executionId) => process.execute('w', {}, { executionId })),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('fails a cancel that can not be stored; whoever waits for the execution is told', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, never('a'))])
    const { executionId, result } = await process.begin('w')
    const answer = result()
    answer.catch(() => undefined)
    process.store.refuse()
    await expect(process.engine.executions.cancel({ executionId })).rejects.toThrow('could not be stored')
    await expect(answer).rejects.toMatchObject({ code: 'internal' })
    process.store.recover()
    expect(await process.status(executionId)).toBe('running')
    expect((await process.engine.executions.cancel({ executionId })).status).toBe('cancelled')
    expect(process.holds).toBe(0)
  })

  it('fails a resume that can not be stored, which can then be made again', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await process.execute('w')
    process.store.refuse()
    await expect(process.resume(executionId, 1)).rejects.toThrow('could not be stored')
    process.store.recover()
    expect((await process.resume(executionId, 2)).result).toBe(2)
    expect(process.holds).toBe(0)
  })
}
