import { expect, it } from 'vitest'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { gated, giving, never, suspending } from './sample-steps.ts'

/** Executions when the database does not store their changes. */
export function storeFailureTests(engines: Engines): void {
  it('an execution that cannot be stored is not started, and the engine keeps working', async () => {
    let runs = 0
    const process = await engines.start([
      createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: () => ++runs })),
    ])
    process.store.refuse()
    const started = await process.engine.executions.execute('w', {})
    await expect(started.result()).rejects.toMatchObject({ code: 'internal', status: 500 })
    await expect(started.stored()).rejects.toThrow('could not be stored')
    expect(runs).toBe(0)
    expect(process.engine.running.has('w')).toBe(false)
    process.store.recover()
    await process.engine.recover()
    expect(process.logs.filter(({ msg }) => String(msg).startsWith('Recovered'))).toEqual([])
    expect(await process.engine.queries.count({})).toBe(0)
    expect((await process.execute('w')).result).toBe(1)
    expect(process.holds).toBe(0)
  })

  it('an execution continues once the database works again', async () => {
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
    const { executionId, result } = await process.startExecution('w')
    await expect(result()).rejects.toMatchObject({ code: 'internal' })
    full = () => undefined
    expect(runs).toEqual(['a1', 'b1'])
    expect(process.logs).toContainEqual(
      expect.objectContaining({ level: 50, msg: 'An execution waits for the database', executionId }),
    )
    process.store.recover()
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect(runs).toEqual(['a1', 'b1', 'b2', 'c1'])
    expect((await process.detail(executionId)).steps.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    const numbers = (await process.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('an execution that waits for its child continues with it once the database works again', async () => {
    const { step, running, open } = gated('c')
    const child = createWorkflow({ id: 'child' }, step)
    const mother = createWorkflow({ id: 'mother' }).andWorkflow({ id: 'down', workflow: child })
    const process = await engines.start([
      child,
      mother,
      createWorkflow({ id: 'grand' }).andWorkflow({ id: 'far', workflow: mother }),
    ])
    const { executionId, result } = await process.startExecution('grand')
    const answer = result()
    answer.catch(() => undefined)
    await running
    process.store.refuse()
    open()
    await expect(answer).rejects.toMatchObject({
      code: 'internal',
      message: 'The execution could not be stored',
    })
    process.store.recover()
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect((await process.detail(executionId)).output).toBe(2)
    expect(await process.engine.queries.count({ status: 'completed' })).toBe(3)
    expect(process.holds).toBe(0)
  })

  it('an execution that several calls recover at the same time runs once', async () => {
    const runs: string[] = []
    const process = await engines.start([
      createWorkflow(
        { id: 'w' },
        giving('a', 'a'),
        andThen({ id: 'b', execute: ({ attempt }) => runs.push(`b${attempt}`) }),
      ),
    ])
    process.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'a' && status === 'completed')),
    )
    const { executionId, result } = await process.startExecution('w')
    await expect(result()).rejects.toMatchObject({ code: 'internal' })
    process.store.recover()
    await Promise.all([process.engine.recover(), process.engine.recover(), process.engine.recover()])
    await expect.poll(() => process.status(executionId)).toBe('completed')
    expect(runs).toEqual(['b1'])
    expect(process.logs.filter(({ level }) => level === 50)).toHaveLength(1)
    expect(process.holds).toBe(0)
  })

  it('several requests to suspend an execution that waits for the database suspend it once', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 'a'), giving('b', 'b'))])
    process.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'a' && status === 'completed')),
    )
    const { executionId, result } = await process.startExecution('w')
    await expect(result()).rejects.toMatchObject({ code: 'internal' })
    process.store.recover()
    const suspending = ['1', '2', '3'].map((reason) =>
      process.engine.executions.suspend({ executionId }, reason),
    )
    const replies = await Promise.allSettled(suspending)
    const [first, ...others] = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
    expect(first?.status).toBe('suspended')
    for (const reply of others) expect(reply).toEqual(first)
    // a request that was late found it suspended
    for (const reply of replies)
      if (reply.status === 'rejected') expect(String(reply.reason)).toMatch(/is suspended$/)
    expect(await process.status(executionId)).toBe('suspended')
    expect(process.holds).toBe(0)
  })

  it('an execution stores nothing after a change of it was lost', async () => {
    // the condition is pending while the result of the first step can't be stored
    let openGate: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (openGate = resolve))
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
    const { executionId, result } = await process.startExecution('w')
    const answer = result()
    answer.catch(() => undefined)
    await expect.poll(() => process.store.failedWrites).toBe(1)
    process.store.recover()
    openGate()
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

  it('changes staged behind a lost change are not stored', async () => {
    const a = gated('a')
    const b = gated('b')
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({ id: 'g', steps: [a.step, b.step] }),
      createWorkflow({ id: 'quick' }, giving('a', 'a')),
    ])
    const { executionId, result } = await process.startExecution('w')
    const answer = result()
    answer.catch(() => undefined)
    await Promise.all(['g/a', 'g/b'].map((path) => process.reached(executionId, path)))
    const release = process.store.hold()
    process.store.refuse((writes) =>
      writes.some(({ steps }) => steps?.some(({ path, status }) => path === 'g/a' && status === 'completed')),
    )
    a.open()
    await expect.poll(() => process.store.held).toBe(1)
    b.open()
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await expect(answer).rejects.toMatchObject({ code: 'internal' })
    // writes are in order: those of this execution come after any that are left of the other
    await process.execute('quick')
    process.store.recover()
    await process.engine.recover()
    await expect.poll(() => process.status(executionId)).toBe('completed')
    const numbers = (await process.detail(executionId)).events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect((await process.detail(executionId)).output).toEqual([2, 2])
  })

  it('one change that cannot be stored fails only its own execution', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 1))])
    process.store.refuse((writes) => writes.some(({ id }) => id === 'bad'))
    const ids = ['one', 'bad', 'two']
    const results = await Promise.allSettled(
      ids.map((executionId) => process.execute('w', {}, { executionId })),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('a cancel that cannot be stored fails, and so does the call that waits for the execution', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, never('a'))])
    const { executionId, result } = await process.startExecution('w')
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

  it('a resume that cannot be stored fails, and can be repeated', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await process.execute('w')
    process.store.refuse()
    await expect(process.resume(executionId, 1)).rejects.toThrow('could not be stored')
    process.store.recover()
    expect((await process.resume(executionId, 2)).result).toBe(2)
    expect(process.holds).toBe(0)
  })
}
