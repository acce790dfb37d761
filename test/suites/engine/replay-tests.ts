import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { expect, it } from 'vitest'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, giving, never, suspending } from './sample-steps.ts'

/** Replays: new executions from a step of another one. */
export function replayTests(engines: Engines): void {
  const ran: string[] = []
  const noting = (id: string) =>
    andThen({
      id,
      execute: ({ data }: { data: unknown }) => {
        ran.push(id)
        return `${typeof data === 'string' ? data : ''}${id}`
      },
    })
  const letters = createWorkflow({ id: 'letters' }, noting('a'), noting('b'), noting('c'))
  const replay = async (process: EngineProcess, executionId: string, stepId: string, input?: unknown) => {
    ran.length = 0
    return (
      await process.engine.executions.replay({ executionId }, stepId, { input, decider: CODE_DECIDES })
    ).result()
  }

  it('a replay copies the results before the step, and runs from there as a new execution', async () => {
    const process = await engines.start([letters])
    const options = { userId: 'ann', conversationId: 'talk', context: { c: 1 } }
    const original = await process.execute('letters', { n: 1 }, options)
    const before = await process.detail(original.executionId)
    const { executionId, result, status } = await replay(process, original.executionId, 'b')
    expect([status, result]).toEqual(['completed', 'abc'])
    expect(ran).toEqual(['b', 'c'])
    expect(executionId).not.toBe(original.executionId)
    const record = await process.detail(executionId)
    expect(record).toMatchObject({
      forkedFrom: { executionId: original.executionId, stepId: 'b' },
      input: { n: 1 },
      userId: 'ann',
      conversationId: 'talk',
      context: { c: 1 },
      steps: [
        { path: 'a', status: 'completed', output: 'a' },
        { path: 'b', status: 'completed', input: 'a', output: 'ab', attempts: 1 },
        { path: 'c', status: 'completed', output: 'abc' },
      ],
    })
    expect(await process.story(executionId)).toEqual([
      'workflow-start',
      'step-start b',
      'step-complete b',
      'step-start c',
      'step-complete c',
      'workflow-complete',
      'workflow-result',
    ])
    expect(await process.detail(original.executionId)).toEqual(before)
  })

  it('an input replaces that of the step, not that of the workflow', async () => {
    const process = await engines.start([letters])
    const original = await process.execute('letters', { n: 1 })
    const { executionId, result } = await replay(process, original.executionId, 'b', 'x')
    expect(result).toBe('xbc')
    expect((await process.detail(executionId)).input).toEqual({ n: 1 })
    expect((await process.step(executionId, 'b'))?.input).toBe('x')
    expect((await replay(process, original.executionId, 'a', 'y')).result).toBe('yabc')
    expect(ran).toEqual(['a', 'b', 'c'])
    expect((await replay(process, original.executionId, 'c', null)).result).toBe('c')
  })

  it('steps of a replay have their own times', async () => {
    const process = await engines.start([letters])
    const original = await process.execute('letters')
    process.clock.advance(3_600_000)
    const { executionId } = await replay(process, original.executionId, 'b')
    const [, b] = (await process.detail(executionId)).steps
    expect(b?.durationMs).toBeLessThan(3_600_000)
    expect(b && b.startTime >= (original.endAt ?? '')).toBe(true)
  })

  it('a replay from the failed step has the results of the steps before it', async () => {
    let broken = true
    const mends = createWorkflow(
      { id: 'mends' },
      noting('a'),
      andThen({
        id: 'b',
        execute: ({ data }) => {
          if (broken) throw new Error('broken')
          return [data]
        },
      }),
    )
    const process = await engines.start([mends])
    const record = await process.executeFailing('mends')
    broken = false
    expect((await replay(process, record.id, 'b')).result).toEqual(['a'])
    expect(ran).toEqual([])
    expect(await process.status(record.id)).toBe('error')
  })

  it('a replay from a nested step keeps its siblings and the decision that led to it', async () => {
    let decided = 0
    const nested = createWorkflow({ id: 'nested' }, noting('first')).andAll({
      id: 'g',
      steps: [noting('left'), andWhen({ id: 'w', condition: () => ++decided === 1, step: noting('right') })],
    })
    const process = await engines.start([nested])
    const original = await process.execute('nested')
    expect(original.result).toEqual(['firstleft', 'firstright'])
    const { executionId, result } = await replay(process, original.executionId, 'right', 'x')
    expect(result).toEqual(['firstleft', 'xright'])
    expect(ran).toEqual(['right'])
    expect(decided).toBe(1)
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'first completed 1',
      'g completed 1',
      'g/left completed 1',
      'g/w completed 1',
      'g/w/right completed 1',
    ])
    expect((await replay(process, original.executionId, 'g')).result).toEqual(['firstleft', 'first'])
    expect(ran).toEqual(['left'])
    expect(decided).toBe(2)
  })

  it('a replay can start at a step of a race', async () => {
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [never('slow'), noting('fast')],
    })
    const process = await engines.start([race])
    const original = await process.execute('race')
    expect((await replay(process, original.executionId, 'fast', 'x')).result).toBe('xfast')
  })

  it('a replay from the losing step of a race runs the race again', async () => {
    // the first branch wins the first time, the other one in the replay
    let replayed = false
    const pending = () => new Promise<string>(() => undefined)
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [
        andThen({ id: 'first', execute: () => (replayed ? pending() : 'first') }),
        andThen({ id: 'other', execute: ({ data }) => (replayed ? JSON.stringify(data) : pending()) }),
      ],
    })
    const process = await engines.start([race])
    const original = await process.execute('race')
    expect(original.result).toBe('first')
    replayed = true
    const { executionId, result } = await replay(process, original.executionId, 'other', 'x')
    expect(result).toBe('"x"')
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'r completed 1',
      'r/first cancelled 1',
      'r/other completed 1',
    ])
  })

  it('a replay starts a new child', async () => {
    const child = createWorkflow({ id: 'child' }, noting('c'))
    const mother = createWorkflow({ id: 'mother' })
      .andWorkflow({ id: 'down', workflow: child })
      .andThen({ id: 'after', execute: ({ data }) => data })
    const process = await engines.start([child, mother])
    const original = await process.execute('mother')
    const { executionId } = await replay(process, original.executionId, 'down', { n: 2 })
    const [before, after] = [
      await process.children(original.executionId),
      await process.children(executionId),
    ]
    expect(after).toHaveLength(1)
    expect(after).not.toEqual(before)
    expect(await process.detail(after[0] ?? '')).toMatchObject({
      parentExecutionId: executionId,
      input: { n: 2 },
    })
    const last = await replay(process, original.executionId, 'after')
    expect(await process.engine.queries.count({ workflowId: 'child' })).toBe(2)
    expect(last.result).toBe('c')
  })

  it('a replay from a step that suspended suspends again', async () => {
    const process = await engines.start([createWorkflow({ id: 'asks' }, suspending('q'))])
    const original = await process.execute('asks')
    await process.resume(original.executionId, 1)
    const again = await replay(process, original.executionId, 'q')
    expect(again).toMatchObject({ status: 'suspended', suspension: { stepId: 'q' } })
    expect((await process.resume(again.executionId, 2)).result).toBe(2)
    expect((await process.detail(original.executionId)).output).toBe(1)
  })

  it('a replay can be replayed', async () => {
    const process = await engines.start([letters])
    const original = await process.execute('letters')
    const second = await replay(process, original.executionId, 'b', 'x')
    const third = await replay(process, second.executionId, 'c')
    expect(third.result).toBe('xbc')
    expect((await process.detail(third.executionId)).forkedFrom).toEqual({
      executionId: second.executionId,
      stepId: 'c',
    })
  })

  it('a replay from an unknown step, or one that was not reached, is refused', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, failing('a')).andWhen({
        id: 'when',
        condition: () => true,
        step: giving('b', 1),
      }),
    ])
    const record = await process.executeFailing('w')
    for (const [stepId, message] of [
      ['nobody', 'stepId: the workflow has no step "nobody"'],
      ['b', 'stepId: the execution did not reach the step "b"'],
    ] as const) {
      await expect(replay(process, record.id, stepId)).rejects.toMatchObject({
        code: 'invalid_input',
        message,
      })
    }
    expect(await process.engine.queries.count({})).toBe(1)
  })

  it('a replay is recovered after a crash with the results it copied', async () => {
    const waits = (id: string) =>
      andThen({
        id,
        execute: ({ data, attempt }) =>
          attempt === 2 || data === 'go' ? [data] : new Promise(() => undefined),
      })
    const workflow = createWorkflow({ id: 'w' }, noting('a'), waits('b'))
    const first = await engines.start([workflow])
    const original = await first.startExecution('w')
    await first.reached(original.executionId, 'b')
    const copy = await first.engine.executions.replay({ executionId: original.executionId }, 'b', {
      decider: CODE_DECIDES,
      input: 'stay',
    })
    await copy.stored()
    await first.reached(copy.executionId, 'b')
    await first.crash()
    ran.length = 0
    const second = await engines.next(first)
    await expect.poll(() => second.status(copy.executionId)).toBe('completed')
    expect((await second.detail(copy.executionId)).output).toEqual(['stay'])
    expect(ran).toEqual([])
  })
}
