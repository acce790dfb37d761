import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andAll } from '../../../src/workflow/steps/and-all.ts'
import { andForEach } from '../../../src/workflow/steps/and-for-each.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { Engines } from './engine-suite.ts'
import { giving, suspending } from './sample-steps.ts'

const double = andThen({ id: 'double', execute: ({ data }: { data: number }) => data * 2 })
const plusOne = andThen({ id: 'plus', execute: ({ data }: { data: number }) => data + 1 })
const numbers = giving('numbers', [1, 2, 3])

/** andBranch, andForEach, andDoWhile and andDoUntil. */
export function loopTests(engines: Engines): void {
  it('andBranch runs the first branch that holds, else otherwise, else passes the data on', async () => {
    const branches = [
      { when: ({ data }: { data: number }) => data > 10, step: giving('large', 'large') },
      { when: ({ data }: { data: number }) => data > 5, step: giving('middle', 'middle') },
      { when: ({ data }: { data: number }) => data > 3, step: giving('never', 'never') },
    ] as const
    const start = andThen({ id: 'n', execute: ({ input }) => (input as { n: number }).n })
    const process = await engines.start([
      createWorkflow({ id: 'a' }, start).andBranch({
        id: 'b',
        branches,
        otherwise: giving('small', 'small'),
      }),
      createWorkflow({ id: 'plain' }, start).andBranch({ id: 'b', branches }),
    ])
    const of = async (id: string, n: number) => (await process.execute(id, { n })).result
    expect([await of('a', 11), await of('a', 7), await of('a', 1)]).toEqual(['large', 'middle', 'small'])
    const { executionId, result } = await process.execute('plain', { n: 1 })
    expect(result).toBe(1)
    expect(await process.steps(executionId)).toEqual(['n completed 1', 'b skipped 1'])
  })

  it('andBranch keeps its choice when it is resumed', async () => {
    let choice = 0
    const process = await engines.start([
      createWorkflow({ id: 'a' }).andBranch({
        id: 'b',
        branches: [
          { when: () => choice++ > 0, step: giving('other', 1) },
          { when: () => true, step: suspending('ask') },
        ],
      }),
    ])
    const { executionId } = await process.execute('a')
    expect(await process.resume(executionId, 'yes')).toMatchObject({ status: 'completed', result: 'yes' })
    expect(choice).toBe(1)
  })

  it('andForEach runs its step for each item, with its index, and returns the results in order', async () => {
    const each = andThen({
      id: 'each',
      execute: ({
        data,
        index,
        stepId,
        idempotencyKey,
      }: {
        data: number
        index: number
        stepId: string
        idempotencyKey: string
      }) => `${data * 2} ${index} ${stepId} ${idempotencyKey.split(':').at(-1)}`,
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }, numbers).andForEach({ id: 'lines', step: each }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toEqual(['2 0 lines[0] lines[0]', '4 1 lines[1] lines[1]', '6 2 lines[2] lines[2]'])
    expect(await process.steps(executionId)).toEqual([
      'numbers completed 1',
      'lines completed 1',
      'lines[0] completed 1',
      'lines[1] completed 1',
      'lines[2] completed 1',
    ])
    const events = await process.events(executionId)
    expect(events.filter(({ from }) => from === 'lines[1]')).toMatchObject([
      { type: 'step-start', path: 'lines[1]', input: 2, stepType: 'andThen' },
      { type: 'step-complete', path: 'lines[1]', output: '4 1 lines[1] lines[1]' },
    ])
  })

  it('andForEach takes the items that a function chooses, once', async () => {
    let calls = 0
    const items = ({ data }: { data: unknown }) => [...(data as number[]), ++calls + 1]
    const ask = andThen({
      id: 'ask',
      execute: ({ data, resumeData, suspend }: { data: number; resumeData: unknown; suspend: () => never }) =>
        data === 1 ? (resumeData ?? suspend()) : data,
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }, numbers).andForEach({ id: 'lines', items, step: ask }),
    ])
    const { executionId } = await process.execute('w')
    expect((await process.detail(executionId)).suspension).toMatchObject({ stepId: 'lines[0]' })
    await process.stop()
    const next = await engines.next(process)
    expect(await next.resume(executionId, 'first', 'lines[0]')).toMatchObject({
      status: 'completed',
      result: ['first', 2, 3, 2],
    })
    expect(calls).toBe(1)
  })

  it('andForEach runs at most `concurrency` items at a time', async () => {
    let running = 0
    let most = 0
    const busy = andThen({
      id: 'busy',
      execute: async ({ data }: { data: number }) => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        return data
      },
    })
    const many = giving(
      'many',
      Array.from({ length: 20 }, (_, n) => n),
    )
    const process = await engines.start([
      createWorkflow({ id: 'w' }, many).andForEach({ id: 'each', step: busy, concurrency: 3 }),
    ])
    expect((await process.execute('w')).result).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(most).toBe(3)
  })

  it('andForEach starts no item in the place of a suspended one', async () => {
    const started: number[] = []
    const asking = andThen({
      id: 'ask',
      execute: ({
        data,
        resumeData,
        suspend,
      }: {
        data: number
        resumeData: unknown
        suspend: () => never
      }): unknown => {
        started.push(data)
        return data % 2 === 0 ? (resumeData ?? suspend()) : data
      },
    })
    const list = giving('list', [1, 2, 3, 4, 5])
    const process = await engines.start([
      createWorkflow({ id: 'one' }, list).andForEach({ id: 'each', step: asking }),
      createWorkflow({ id: 'two' }, list).andForEach({ id: 'each', step: asking, concurrency: 2 }),
    ])
    const one = await process.execute('one')
    expect(started).toEqual([1, 2])
    expect(await process.resume(one.executionId, 'b', 'each[1]')).toMatchObject({ status: 'suspended' })
    expect(started).toEqual([1, 2, 2, 3, 4])
    expect((await process.resume(one.executionId, 'd', 'each[3]')).result).toEqual([1, 'b', 3, 'd', 5])
    started.length = 0
    const two = await process.execute('two')
    expect(started.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
    expect((await process.detail(two.executionId)).suspension).toMatchObject({ stepId: 'each[1]' })
  })

  it('andForEach fails with its first failed item, or puts the error in its place', async () => {
    const picky = andThen({
      id: 'picky',
      execute: ({ data }: { data: number }) => {
        if (data === 2) throw new Error('no twos')
        return data
      },
    })
    const process = await engines.start([
      createWorkflow({ id: 'fails' }, numbers).andForEach({ id: 'each', step: picky }),
      createWorkflow({ id: 'goes-on' }, numbers).andForEach({ id: 'each', step: picky, onError: 'continue' }),
    ])
    const failed = await process.executeFailing('fails')
    expect(failed.error).toMatchObject({ message: 'no twos', stepId: 'each[1]' })
    expect(failed.steps.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'numbers completed',
      'each error',
      'each[0] completed',
      'each[1] error',
    ])
    expect((await process.execute('goes-on')).result).toEqual([1, { error: { message: 'no twos' } }, 3])
  })

  it('andForEach refuses what is no array, and more items than the limit, before the first item', async () => {
    let calls = 0
    const counting = andThen({ id: 'count', execute: () => ++calls })
    const process = await engines.start(
      [
        createWorkflow({ id: 'object' }, giving('o', { a: 1 })).andForEach({
          id: 'each',
          items: ({ data }) => data as unknown as number[],
          step: counting,
        }),
        createWorkflow({ id: 'many' }, numbers).andForEach({ id: 'each', step: counting }),
        createWorkflow({ id: 'none' }, giving('none', [])).andForEach({ id: 'each', step: counting }),
      ],
      { maxItems: 2 },
    )
    expect((await process.executeFailing('object')).error?.message).toBe(
      'the result of items must be an array',
    )
    expect((await process.executeFailing('many')).error?.message).toBe(
      'there are 3 items; limits.items of the configuration allows 2',
    )
    expect((await process.execute('none')).result).toEqual([])
    expect(calls).toBe(0)
  })

  it('andForEach repeats no finished item after a crash, also in nested groups', async () => {
    const ran: string[] = []
    const gate = createDeferred<void>()
    const note = (id: string) =>
      andThen({
        id,
        execute: async ({ data, stepId, signal }: { data: number; stepId: string; signal: AbortSignal }) => {
          ran.push(stepId)
          if (stepId === 'b[2]' && ran.filter((one) => one === stepId).length === 1)
            await Promise.race([
              gate.promise,
              new Promise((_, reject) => signal.addEventListener('abort', reject)),
            ])
          return data
        },
      })
    const workflow = createWorkflow({ id: 'w' }, numbers).andForEach({
      id: 'each',
      step: andAll({ id: 'both', steps: [note('a'), note('b')] }),
    })
    const process = await engines.start([workflow])
    const { executionId } = await process.startExecution('w')
    await process.recorded(executionId, 'each[2]/a', 'completed')
    await process.crash()
    const next = await engines.next(process)
    await next.recorded(executionId, 'each', 'completed')
    expect((await next.detail(executionId)).output).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(ran.toSorted()).toEqual(['a[0]', 'a[1]', 'a[2]', 'b[0]', 'b[1]', 'b[2]', 'b[2]'])
  })

  it('the record and the state of an execution show how many of its items have ended', async () => {
    const asking = andThen({
      id: 'ask',
      execute: ({ data, suspend }: { data: number; suspend: () => never }) => (data === 3 ? suspend() : data),
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }, numbers).andForEach({ id: 'each', step: asking }),
    ])
    const { executionId } = await process.execute('w')
    expect((await process.step(executionId, 'each'))?.progress).toEqual({ done: 2, total: 3 })
    const state = await process.engine.queries.state(await process.engine.executions.find({ executionId }))
    expect(state.progress).toEqual([{ stepId: 'each', done: 2, total: 3 }])
  })

  it('andForEach in andForEach has results of results, and ids with both indices', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('rows', [[1, 2], [3]])).andForEach({
        id: 'rows-of',
        step: andForEach({ id: 'cells', step: double }),
      }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toEqual([[2, 4], [6]])
    const { steps } = await process.detail(executionId)
    expect(steps.map(({ stepId, path }) => [stepId, path])).toContainEqual(['rows-of[1][0]', 'rows-of[1][0]'])
  })

  it('getStepResult finds the step of the same item', async () => {
    const first = andThen({ id: 'first', execute: ({ data }: { data: number }) => data * 10 })
    const second = andThen({
      id: 'second',
      execute: async ({ getStepResult, index }: { getStepResult: (id: string) => unknown; index: number }) =>
        [index, getStepResult('each') ?? null, getStepResult('numbers')] as never,
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }, numbers)
        .andForEach({ id: 'each', step: andAll({ id: 'pair', steps: [first, second] }) })
        .andThen({ id: 'after', execute: ({ getStepResult }) => getStepResult('first') ?? 'ambiguous' }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toBe('ambiguous')
    expect((await process.step(executionId, 'each[1]/second'))?.output).toEqual([1, null, [1, 2, 3]])
  })

  it('andDoWhile runs while its condition holds, each round with the result of the one before', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'while' }, giving('zero', 0)).andDoWhile({
        id: 'count',
        step: plusOne,
        condition: ({ data }) => data < 3,
      }),
      createWorkflow({ id: 'until' }, giving('zero', 0)).andDoUntil({
        id: 'count',
        step: plusOne,
        condition: ({ data }) => data >= 1,
      }),
    ])
    const { executionId, result } = await process.execute('while')
    expect(result).toBe(3)
    expect(await process.steps(executionId)).toEqual([
      'zero completed 1',
      'count completed 1',
      'count[0] completed 1',
      'count[1] completed 1',
      'count[2] completed 1',
    ])
    expect((await process.execute('until')).result).toBe(1)
  })

  it('a loop that does not end within its maximum fails', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('zero', 0)).andDoUntil({
        id: 'count',
        step: plusOne,
        condition: () => false,
        maxIterations: 4,
      }),
    ])
    const { error, steps } = await process.executeFailing('w')
    expect(error).toMatchObject({ name: 'LoopLimitError', stepId: 'count' })
    expect(steps.filter(({ path }) => path.startsWith('count['))).toHaveLength(4)
  })

  it('a loop repeats no finished round after a resume in another process', async () => {
    const rounds: number[] = []
    const step = andThen({
      id: 'round',
      execute: ({
        data,
        index,
        resumeData,
        suspend,
      }: {
        data: number
        index: number
        resumeData: unknown
        suspend: () => never
      }) => {
        rounds.push(index)
        if (index === 1 && resumeData === undefined) suspend()
        return data + 1
      },
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('zero', 0)).andDoWhile({
        id: 'loop',
        step,
        condition: ({ data }) => data < 3,
      }),
    ])
    const { executionId } = await process.execute('w')
    await process.stop()
    const next = await engines.next(process)
    expect(await next.resume(executionId, 'on')).toMatchObject({ status: 'completed', result: 3 })
    expect(rounds).toEqual([0, 1, 1, 2])
  })

  it('a replay from an item in a race keeps the items before it, and runs the other branches again', async () => {
    const ran: string[] = []
    const note = andThen({
      id: 'note',
      execute: ({ stepId }) => {
        ran.push(stepId)
        return 'noted'
      },
    })
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andRace({
        id: 'race',
        steps: [
          andForEach({ id: 'lines', items: () => [1, 2, 3], step: note }),
          andAll({ id: 'other', steps: [note, suspending('asks')] }),
        ],
      }),
    ])
    const { executionId } = await process.execute('w')
    ran.length = 0
    const replay = await process.engine.executions.replay({ executionId }, 'lines[1]', {
      decider: CODE_DECIDES,
    })
    expect((await replay.result()).result).toEqual(['noted', 'noted', 'noted'])
    expect(ran.toSorted()).toEqual(['lines[1]', 'lines[2]', 'note'])
  })

  it('a replay starts with an item or a round, and runs all after it again', async () => {
    const ran: string[] = []
    const noting = (id: string) =>
      andThen({
        id,
        execute: ({ data, stepId }: { data: number; stepId: string }) => {
          ran.push(stepId)
          return data + 1
        },
      })
    const process = await engines.start([
      createWorkflow({ id: 'each' }, numbers)
        .andForEach({ id: 'lines', step: noting('line') })
        .andThen({ id: 'after', execute: ({ data }) => data }),
      createWorkflow({ id: 'loop' }, giving('zero', 0)).andDoWhile({
        id: 'count',
        step: noting('plus'),
        condition: ({ data }) => data < 4,
      }),
    ])
    const replayed = async (id: string, stepId: string, input?: unknown) => {
      const { executionId } = await process.execute(id)
      ran.length = 0
      const replay = await process.engine.executions.replay({ executionId }, stepId, {
        input,
        decider: CODE_DECIDES,
      })
      return (await replay.result()).result
    }
    expect(await replayed('each', 'lines[1]', 10)).toEqual([2, 11, 4])
    expect(ran).toEqual(['lines[1]', 'lines[2]'])
    expect(await replayed('loop', 'count[2]')).toBe(4)
    expect(ran).toEqual(['count[2]', 'count[3]'])
    await expect(replayed('each', 'lines[7]')).rejects.toThrow('did not reach the step "lines[7]"')
    await expect(replayed('each', 'line')).rejects.toThrow('name one of them, such as "lines[0]"')
    await expect(replayed('each', 'none[1]')).rejects.toThrow('has no step "none"')
  })
}
