import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAll } from '../../../src/workflow/steps/and-all.ts'
import { andRace } from '../../../src/workflow/steps/and-race.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, giving, never, sleep, suspending } from './sample-steps.ts'

/** andWhen, andAll, andRace and andTap. */
export function groupTests(engines: Engines): void {
  it('andWhen runs its step where its condition is true', async () => {
    const when = createWorkflow({ id: 'when' }).andWhen({
      id: 'w',
      condition: async ({ data, input }) => data['n'] === 5 && input['n'] === 5,
      step: andThen({ id: 'inner', execute: ({ data }) => [data] }),
    })
    const process = await engines.start([when])
    const { executionId, result } = await process.execute('when', { n: 5 })
    expect(result).toEqual([{ n: 5 }])
    const shared = { stepIndex: 0, attempt: 1 }
    expect((await process.events(executionId)).slice(1, 5)).toEqual([
      { type: 'step-start', from: 'w', stepType: 'andWhen', ...shared, input: { n: 5 } },
      { type: 'step-start', from: 'inner', stepType: 'andThen', ...shared, input: { n: 5 } },
      { type: 'step-complete', from: 'inner', stepType: 'andThen', ...shared, output: [{ n: 5 }] },
      { type: 'step-complete', from: 'w', stepType: 'andWhen', ...shared, output: [{ n: 5 }] },
    ])
    expect(await process.steps(executionId)).toEqual(['w completed 1', 'w/inner completed 1'])
  })

  it('andWhen is skipped and passes the data on where its condition is false', async () => {
    const when = createWorkflow({ id: 'when' })
      .andWhen({ id: 'w', condition: () => false, step: giving('inner', 'wrong') })
      .andThen({
        id: 'after',
        execute: ({ data, getStepResult }) => [data, getStepResult('w'), getStepResult('inner') ?? 'nothing'],
      })
    const process = await engines.start([when])
    const { executionId, result } = await process.execute('when', { n: 1 })
    expect(result).toEqual([{ n: 1 }, { n: 1 }, 'nothing'])
    expect((await process.events(executionId))[2]).toEqual({
      type: 'step-skipped',
      from: 'w',
      stepIndex: 0,
      stepType: 'andWhen',
    })
    expect(await process.steps(executionId)).toEqual(['w skipped 1', 'after completed 1'])
  })

  it('andWhen fails where its condition throws', async () => {
    const condition = () => {
      throw new Error('undecided')
    }
    const process = await engines.start([
      createWorkflow({ id: 'when' }).andWhen({ id: 'w', condition, step: giving('inner', 1) }),
    ])
    const record = await process.executeFailing('when')
    expect(record.error).toMatchObject({ message: 'undecided', stepId: 'w' })
    expect(record.steps.map(({ path, status }) => [path, status])).toEqual([['w', 'error']])
  })

  it('andAll runs its steps concurrently and returns their results in order', async () => {
    let together = 0
    const met = createDeferred<void>()
    // none ends before all three run
    const meets = (id: string, ms: number) =>
      andThen({
        id,
        execute: async ({ data }: { data: unknown }) => {
          if (++together === 3) met.resolve()
          await met.promise
          await sleep(ms)
          return [id, data]
        },
      })
    const all = createWorkflow({ id: 'all' }).andAll({
      id: 'g',
      steps: [meets('a', 9), meets('b', 6), meets('c', 3)],
    })
    const process = await engines.start([all])
    const { executionId, result } = await process.execute('all', { n: 1 })
    expect(result).toEqual(['a', 'b', 'c'].map((id) => [id, { n: 1 }]))
    expect(together).toBe(3)
    const story = await process.story(executionId)
    expect(story.slice(0, 5)).toEqual([
      'workflow-start',
      'step-start g',
      'step-start a',
      'step-start b',
      'step-start c',
    ])
    expect(story.slice(5).toSorted()).toEqual([
      'step-complete a',
      'step-complete b',
      'step-complete c',
      'step-complete g',
      'workflow-complete',
      'workflow-result',
    ])
    expect(story.indexOf('step-complete g')).toBe(8)
  })

  it('andAll fails with the first failure; the others are aborted and recorded cancelled', async () => {
    const aborted: string[] = []
    const isDone = (executionId: string) => process.recorded(executionId, 'g/done', 'completed')
    const all = createWorkflow({ id: 'all' }).andAll({
      id: 'g',
      steps: [giving('done', 1), failing('bad', isDone), never('a', aborted), never('b', aborted)],
    })
    const process: EngineProcess = await engines.start([all])
    const record = await process.executeFailing('all')
    expect(record.error).toMatchObject({ message: 'bad failed', name: 'Error', stepId: 'bad' })
    expect(aborted.toSorted()).toEqual(['a', 'b'])
    expect((await process.steps(record.id)).toSorted()).toEqual([
      'g error 1',
      'g/a cancelled 1',
      'g/b cancelled 1',
      'g/bad error 1',
      'g/done completed 1',
    ])
  })

  it('andRace returns the first result; the others are aborted and recorded cancelled', async () => {
    const aborted: string[] = []
    const hasFailed = (executionId: string) => process.recorded(executionId, 'r/bad', 'error')
    const race = createWorkflow({ id: 'race' })
      .andRace({
        id: 'r',
        steps: [never('a', aborted), failing('bad'), giving('quick', 'won', hasFailed), never('b', aborted)],
      })
      .andThen({ id: 'after', execute: async ({ data }) => [data] })
    const process: EngineProcess = await engines.start([race])
    const { executionId, result } = await process.execute('race')
    expect(result).toEqual(['won'])
    expect(aborted.toSorted()).toEqual(['a', 'b'])
    expect((await process.steps(executionId)).toSorted()).toEqual([
      'after completed 1',
      'r completed 1',
      'r/a cancelled 1',
      'r/b cancelled 1',
      'r/bad error 1',
      'r/quick completed 1',
    ])
  })

  it('andRace ends every kind of losing step, even as the last step', async () => {
    const loser = andAll({
      id: 'many',
      steps: [never('one'), andWhen({ id: 'w', condition: () => true, step: never('two') })],
    })
    const retrying = andThen({
      id: 'retrying',
      retries: { limit: 5, delayMs: 60_000 },
      execute: () => {
        throw new Error('again')
      },
    })
    const limited = andThen({ id: 'limited', timeoutMs: 60_000, execute: () => new Promise(() => undefined) })
    const inner = andRace({ id: 'inner', steps: [never('three'), never('four')] })
    const allRun = async (executionId: string) => {
      for (const path of [
        'asks',
        'many/one',
        'many/w/two',
        'retrying',
        'limited',
        'inner/three',
        'inner/four',
      ])
        await process.reached(executionId, `r/${path}`)
    }
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [loser, retrying, limited, suspending('asks'), inner, giving('quick', 'won', allRun)],
    })
    const process: EngineProcess = await engines.start([race])
    const { executionId, result } = await process.execute('race')
    expect(result).toBe('won')
    const steps = (await process.detail(executionId)).steps.map(({ path, status }) => `${path} ${status}`)
    expect(steps.toSorted()).toEqual([
      'r completed',
      'r/asks cancelled',
      'r/inner cancelled',
      'r/inner/four cancelled',
      'r/inner/three cancelled',
      'r/limited cancelled',
      'r/many cancelled',
      'r/many/one cancelled',
      'r/many/w cancelled',
      'r/many/w/two cancelled',
      'r/quick completed',
      'r/retrying cancelled',
    ])
  })

  it('andRace ignores events and results of losing steps after its end', async () => {
    const isOver = createDeferred<void>()
    const ended = createDeferred<void>()
    const late = andThen({
      id: 'late',
      execute: async ({ emit }) => {
        await isOver.promise
        emit('late')
        ended.resolve()
        return 'late'
      },
    })
    const race = createWorkflow({ id: 'race' })
      .andRace({ id: 'r', steps: [late, giving('now', 'won')] })
      .andThen({ id: 'after', execute: () => (isOver.resolve(), ended.promise) })
      .andThen({ id: 'last', execute: () => 1 })
    const process = await engines.start([race])
    const { executionId } = await process.execute('race')
    expect(await process.story(executionId)).not.toContain('custom late')
    expect((await process.step(executionId, 'r/late'))?.status).toBe('cancelled')
  })

  it('andRace fails when all of its steps have failed, with the first failure', async () => {
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'r',
      steps: [failing('slow', (id) => process.recorded(id, 'r/fast', 'error')), failing('fast')],
    })
    const process: EngineProcess = await engines.start([race])
    const record = await process.executeFailing('race')
    expect(record.error).toMatchObject({ message: 'fast failed', stepId: 'fast' })
    expect((await process.steps(record.id)).toSorted()).toEqual([
      'r error 1',
      'r/fast error 1',
      'r/slow error 1',
    ])
  })

  it('andTap never changes the flow, and its failure is recorded, not thrown', async () => {
    const seen: unknown[] = []
    const tap = createWorkflow({ id: 'tap' })
      .andTap({
        id: 'good',
        execute: ({ data }) => void seen.push(data, Object.assign(data, { spoilt: true })),
      })
      .andTap({ id: 'returns', execute: () => ({ not: 'a result' }) })
      .andTap({
        id: 'bad',
        retries: { limit: 1, delayMs: 0 },
        execute: () => {
          throw new TypeError('no audit')
        },
      })
      .andThen({ id: 'after', execute: ({ data }) => data })
    const process = await engines.start([tap])
    const { executionId, result } = await process.execute('tap', { n: 1 })
    expect(result).toEqual({ n: 1 })
    expect(seen).toHaveLength(2)
    expect(await process.step(executionId, 'bad')).toMatchObject({
      status: 'error',
      attempts: 2,
      error: { message: 'no audit', name: 'TypeError', stepId: 'bad' },
    })
    expect((await process.story(executionId)).filter((line) => line.endsWith('bad'))).toEqual([
      'step-start bad',
      'step-error bad',
      'step-start bad',
      'step-error bad',
    ])
    expect((await process.step(executionId, 'good'))?.status).toBe('completed')
  })

  it('steps of all kinds can be nested in one another', async () => {
    const deep = createWorkflow({ id: 'deep' }).andAll({
      id: 'all',
      steps: [
        andWhen({
          id: 'when',
          condition: () => true,
          step: andRace({
            id: 'race',
            steps: [never('never'), andAll({ id: 'inner', steps: [giving('x', 1), giving('y', 2)] })],
          }),
        }),
        giving('z', 3),
      ],
    })
    const process = await engines.start([deep])
    const { executionId, result } = await process.execute('deep')
    expect(result).toEqual([[1, 2], 3])
    const paths = (await process.detail(executionId)).steps.map(({ path }) => path)
    expect(paths.toSorted()).toEqual([
      'all',
      'all/when',
      'all/when/race',
      'all/when/race/inner',
      'all/when/race/inner/x',
      'all/when/race/inner/y',
      'all/when/race/never',
      'all/z',
    ])
    expect((await process.events(executionId)).find(({ from }) => from === 'y')).toMatchObject({
      stepIndex: 0,
    })
  })
}
