import { expect, it } from 'vitest'
import { CODE_DECIDES } from '../../../src/contract/access/decision.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'

/** Groups: chains within a step. andTry. */
export function chainTests(engines: Engines): void {
  const replay = async (process: EngineProcess, executionId: string, stepId: string) =>
    (await process.engine.executions.replay({ executionId }, stepId, { decider: CODE_DECIDES })).result()

  it('a group runs its steps one after the other, below the path of the step around it', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' })
        .and(andThen({ id: 'first', execute: () => 1 }))
        .andWhen({
          id: 'when',
          condition: ({ results }) => results.first === 1,
          step: (chain) =>
            chain
              .andThen({ id: 'one', execute: ({ data, results }) => data + results.first })
              .andTap({ id: 'two', execute: () => 'ignored' })
              .andWhen({
                id: 'inner',
                condition: ({ data }) => data === 2,
                step: (nested) =>
                  nested.andThen({ id: 'three', execute: ({ data, results }) => [data, results.one] }),
              }),
        })
        .andThen({ id: 'last', execute: ({ data, results }) => [data, results.one ?? 0, results.two ?? 0] }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toEqual([[2, 2], 2, 2])
    expect(inAnyOrder(await process.steps(executionId))).toEqual(
      inAnyOrder([
        'first completed 1',
        'when completed 1',
        'when/one completed 1',
        'when/two completed 1',
        'when/inner completed 1',
        'when/inner/three completed 1',
        'last completed 1',
      ]),
    )
  })

  it('a group in a step that is skipped does not run', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWhen({
        id: 'when',
        condition: () => false,
        step: (chain) =>
          chain.andThen({ id: 'one', execute: () => 1 }).andTap({ id: 'two', execute: () => 2 }),
      }),
    ])
    const { executionId, result } = await process.execute('w', { n: 1 })
    expect(result).toEqual({ n: 1 })
    expect(await process.steps(executionId)).toEqual(['when skipped 1'])
  })

  it('groups of andAll and andRace run beside each other, and the loser of a race is cancelled as a whole', async () => {
    let open = (): void => undefined
    const held = new Promise<void>((resolve) => {
      open = resolve
    })
    const aborted: string[] = []
    const process = await engines.start([
      createWorkflow({ id: 'all' }).andAll({
        id: 'both',
        steps: [
          (chain) =>
            chain
              .andThen({ id: 'waits', execute: () => held.then(() => 'left') })
              .andThen({ id: 'joins', execute: ({ data }) => `${data}!` }),
          (chain) =>
            chain
              .andThen({ id: 'right', execute: () => 'right' })
              .andTap({ id: 'opens', execute: () => open() }),
          andThen({ id: 'alone', execute: () => 'alone' }),
        ],
      }),
      createWorkflow({ id: 'race' }).andRace({
        id: 'first',
        steps: [
          (chain) =>
            chain.andThen({ id: 'begun', execute: () => 1 }).andThen({
              id: 'never',
              execute: ({ signal }) =>
                new Promise<number>(() => {
                  signal.addEventListener('abort', () => aborted.push('never'))
                }),
            }),
          (chain) =>
            chain.andThen({ id: 'quick', execute: () => 2 }).andThen({ id: 'won', execute: () => 'won' }),
        ],
      }),
    ])
    expect((await process.execute('all')).result).toEqual(['left!', 'right', 'alone'])
    const { executionId, result } = await process.execute('race')
    expect(result).toBe('won')
    expect(aborted).toEqual(['never'])
    expect((await process.step(executionId, 'first/begun'))?.status).toBe('completed')
    expect((await process.step(executionId, 'first/never'))?.status).toBe('cancelled')
  })

  it('a group is a round of a loop or an item, with its own results', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'each' })
        .andThen({ id: 'numbers', execute: () => [1, 2] })
        .andForEach({
          id: 'lines',
          onError: 'continue',
          step: (chain) =>
            chain.andThen({ id: 'twice', execute: ({ data }) => data * 2 }).andThen({
              id: 'sum',
              execute: ({ data, results, index, idempotencyKey }) => {
                if (index === 1) throw new Error('refused')
                return [data, results.twice, results.numbers.length, idempotencyKey.replace(/.*:/, '')]
              },
            }),
        }),
      createWorkflow({ id: 'loop' })
        .andThen({ id: 'zero', execute: () => 0 })
        .andDoWhile({
          id: 'count',
          step: (chain) =>
            chain
              .andThen({ id: 'plus', execute: ({ data }) => data + 1 })
              .andThen({ id: 'check', execute: ({ data, results }) => (results.plus === data ? data : -1) }),
          condition: ({ data }) => data < 3,
        }),
    ])
    const { executionId, result } = await process.execute('each')
    expect(result).toEqual([[2, 2, 2, 'lines[0]/sum'], { error: { message: 'refused' } }])
    const record = await process.detail(executionId)
    expect(
      inAnyOrder(record.steps.map(({ stepId, path, type, status }) => `${stepId} ${path} ${type} ${status}`)),
    ).toEqual(
      inAnyOrder([
        'numbers numbers andThen completed',
        'lines lines andForEach completed',
        'lines[0] lines[0] group completed',
        'twice[0] lines[0]/twice andThen completed',
        'sum[0] lines[0]/sum andThen completed',
        'lines[1] lines[1] group error',
        'twice[1] lines[1]/twice andThen completed',
        'sum[1] lines[1]/sum andThen error',
      ]),
    )
    const find = (path: string) => record.steps.find((step) => step.path === path)
    expect(find('lines[0]')?.name).toBe('lines[0]')
    expect(find('lines')?.progress).toEqual({ done: 2, failed: 1, total: 2 })
    expect((await process.execute('loop')).result).toBe(3)
  })

  it('a group suspends, resumes and continues after a crash within its step', async () => {
    const runs: string[] = []
    let crashed = false
    const before = await engines.start([
      createWorkflow({ id: 'w' })
        .andThen({ id: 'numbers', execute: () => [1, 2] })
        .andForEach({
          id: 'lines',
          concurrency: 2,
          step: (chain) =>
            chain
              .andThen({ id: 'begin', execute: ({ data }) => `${runs.push('begin')}-${data}` })
              .andThen({
                id: 'ask',
                execute: ({ data, index, suspend, resumeData }) =>
                  index === 0 ? (resumeData ? `${data} ${resumeData as string}` : suspend('ask')) : data,
              })
              .andThen({
                id: 'end',
                execute: ({ data, index }) =>
                  index === 1 || crashed ? data : new Promise<string>(() => undefined),
              }),
        }),
    ])
    const { executionId } = await before.execute('w')
    expect((await before.detail(executionId)).suspension).toMatchObject({ stepId: 'ask[0]', reason: 'ask' })
    expect((await before.step(executionId, 'lines[0]'))?.status).toBe('suspended')
    void before.resume(executionId, 'yes', 'ask[0]').catch(() => undefined)
    await before.reached(executionId, 'lines[0]/end')
    crashed = true
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.detail(executionId)).output).toEqual(['1-1 yes', '2-2'])
    expect(runs).toEqual(['begin', 'begin'])
  })

  it('a race that a group has won keeps its winner after a crash', async () => {
    let crashed = false
    const before = await engines.start([
      createWorkflow({ id: 'w' })
        .andRace({
          id: 'race',
          steps: [
            (chain) => chain.andThen({ id: 'a', execute: () => 'a' }).andTap({ id: 'b', execute: () => 1 }),
            andThen({ id: 'slow', execute: () => (crashed ? 'slow' : new Promise<string>(() => undefined)) }),
          ],
        })
        .andThen({
          id: 'end',
          execute: ({ data }) => (crashed ? data : new Promise<string>(() => undefined)),
        }),
    ])
    const { executionId } = await before.startExecution('w')
    await before.reached(executionId, 'end')
    crashed = true
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.detail(executionId)).output).toBe('a')
  })

  it('a replay runs the steps of a group from one of them on', async () => {
    const ran: string[] = []
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          (chain) =>
            chain
              .andThen({ id: 'a', execute: () => ran.push('a') })
              .andThen({ id: 'b', execute: () => ran.push('b') })
              .andThen({ id: 'c', execute: () => ran.push('c') }),
          andThen({ id: 'beside', execute: () => ran.push('beside') }),
        ],
      }),
      createWorkflow({ id: 'each' })
        .andThen({ id: 'numbers', execute: () => [1, 2] })
        .andForEach({
          id: 'lines',
          step: (chain) =>
            chain
              .andThen({ id: 'd', execute: ({ index }) => ran.push(`d${index}`) })
              .andThen({ id: 'e', execute: ({ index }) => ran.push(`e${index}`) }),
        }),
    ])
    const { executionId } = await process.execute('w')
    ran.length = 0
    await replay(process, executionId, 'b')
    expect(ran).toEqual(['b', 'c'])
    const each = await process.execute('each')
    ran.length = 0
    await replay(process, each.executionId, 'e[0]')
    expect(ran).toEqual(['e0', 'd1', 'e1'])
    ran.length = 0
    await replay(process, each.executionId, 'd[1]')
    expect(ran).toEqual(['d1', 'e1'])
  })

  it('a breakpoint pauses before a step of a group', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWhen({
        id: 'when',
        condition: () => true,
        step: (chain) => chain.andThen({ id: 'a', execute: () => 1 }).andThen({ id: 'b', execute: () => 2 }),
      }),
    ])
    const { executionId } = await process.execute('w', {}, { pauseAt: ['b'] })
    expect((await process.detail(executionId)).suspension).toMatchObject({ stepId: 'b', data: 1 })
    expect((await process.resume(executionId)).result).toBe(2)
    await expect(process.execute('w', {}, { pauseAt: ['none'] })).rejects.toThrow(/its steps are when, a, b/)
  })

  it('andTry passes the result of its step on', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andTry({
        id: 'try',
        step: andThen({ id: 'tried', execute: () => 'fine' }),
        catch: andThen({ id: 'caught', execute: () => 'caught' }),
      }),
    ])
    const { executionId, result } = await process.execute('w')
    expect(result).toBe('fine')
    expect(await process.steps(executionId)).toEqual(['try completed 1', 'try/tried completed 1'])
  })

  it('andTry catches a failure with the error, the data and what was done before it', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' })
        .andThen({ id: 'total', execute: () => 5 })
        .andTry({
          id: 'try',
          step: (chain) =>
            chain.andThen({ id: 'charge', execute: ({ data }) => ({ cents: data }) }).andAll({
              id: 'ship',
              steps: [
                andThen({
                  id: 'label',
                  retries: { limit: 1, delayMs: 0 },
                  execute: (): string => {
                    throw new RangeError('no label')
                  },
                }),
                andThen({ id: 'waits', execute: () => new Promise<string>(() => undefined) }),
              ],
            }),
          catch: (chain) =>
            chain
              .andThen({ id: 'refund', execute: ({ data, results }) => [data, results.charge?.cents ?? 0] })
              .andTap({ id: 'tell', execute: () => undefined }),
        }),
    ])
    const { executionId, result, status } = await process.execute('w')
    expect(status).toBe('completed')
    expect(result).toEqual([
      { error: { name: 'RangeError', message: 'no label', stepId: 'label' }, data: 5 },
      5,
    ])
    expect(inAnyOrder(await process.steps(executionId))).toEqual(
      inAnyOrder([
        'total completed 1',
        'try completed 1',
        'try/charge completed 1',
        'try/ship error 1',
        'try/ship/label error 2',
        'try/ship/waits cancelled 1',
        'try/refund completed 1',
        'try/tell completed 1',
      ]),
    )
  })

  it('andTry fails with the error of its catch step', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andTry({
        id: 'try',
        step: andThen({
          id: 'tried',
          execute: () => {
            throw new Error('first')
          },
        }),
        catch: andThen({
          id: 'caught',
          execute: () => {
            throw new Error('second')
          },
        }),
      }),
    ])
    const { error, steps } = await process.executeFailing('w')
    expect(error).toMatchObject({ message: 'second', stepId: 'caught' })
    expect(inAnyOrder(steps.map(({ path, status }) => `${path} ${status}`))).toEqual(
      inAnyOrder(['try error', 'try/tried error', 'try/caught error']),
    )
  })

  it('andTry takes a suspension, a cancel and a lost race for no failure', async () => {
    const caught: string[] = []
    const noteCaught = (id: string) => andThen({ id, execute: () => caught.push(id) })
    const process = await engines.start([
      createWorkflow({ id: 'suspends' }).andTry({
        id: 'try',
        step: andThen({ id: 'ask', execute: ({ suspend, resumeData }) => resumeData ?? suspend('ask') }),
        catch: noteCaught('suspended'),
      }),
      createWorkflow({ id: 'cancelled' }).andTry({
        id: 'try',
        step: andThen({ id: 'waits', execute: () => new Promise<string>(() => undefined) }),
        catch: noteCaught('cancelled'),
      }),
      createWorkflow({ id: 'race' }).andRace({
        id: 'first',
        steps: [
          (chain) =>
            chain.andTry({
              id: 'try',
              step: andThen({
                id: 'loses',
                execute: ({ signal }) =>
                  new Promise<string>((_, reject) => {
                    signal.addEventListener('abort', () => reject(new Error('aborted')))
                  }),
              }),
              catch: noteCaught('lost'),
            }),
          andThen({ id: 'wins', execute: () => 'won' }),
        ],
      }),
    ])
    const asked = await process.execute('suspends')
    expect(asked.status).toBe('suspended')
    expect((await process.resume(asked.executionId, 'yes')).result).toBe('yes')
    const { executionId } = await process.startExecution('cancelled')
    await process.reached(executionId, 'try/waits')
    await process.engine.executions.cancel({ executionId }, 'enough')
    expect(await process.status(executionId)).toBe('cancelled')
    expect((await process.execute('race')).result).toBe('won')
    expect(caught).toEqual([])
  })

  it('andTry continues with its catch step after a crash and a suspension in it, and tries nothing again', async () => {
    const runs: string[] = []
    let crashed = false
    const before = await engines.start([
      createWorkflow({ id: 'w' }).andTry({
        id: 'try',
        step: andThen({
          id: 'tried',
          execute: (): string => {
            runs.push('tried')
            throw new Error('failed')
          },
        }),
        catch: (chain) =>
          chain
            .andThen({
              id: 'ask',
              execute: ({ data, suspend, resumeData }) =>
                resumeData === undefined ? suspend('ask') : `${data.error.message} ${resumeData as string}`,
            })
            .andThen({
              id: 'end',
              execute: ({ data }) => (crashed ? data : new Promise<string>(() => undefined)),
            }),
      }),
    ])
    const { executionId, status } = await before.execute('w')
    expect(status).toBe('suspended')
    void before.resume(executionId, 'handled').catch(() => undefined)
    await before.reached(executionId, 'try/end')
    crashed = true
    await before.crash()
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect((await after.detail(executionId)).output).toBe('failed handled')
    expect(runs).toEqual(['tried'])
  })

  it('a replay of a catch step keeps the failure, and one of the tried step tries again', async () => {
    const runs: string[] = []
    let fails = true
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andTry({
        id: 'try',
        step: (chain) =>
          chain.andThen({ id: 'before', execute: () => runs.push('before') }).andThen({
            id: 'tried',
            execute: () => {
              runs.push('tried')
              if (fails) throw new Error('failed')
              return 'fine'
            },
          }),
        catch: andWhen({
          id: 'when',
          condition: () => true,
          step: andThen({ id: 'caught', execute: () => String(runs.push('caught')) }),
        }),
      }),
    ])
    const { executionId } = await process.execute('w')
    runs.length = 0
    await replay(process, executionId, 'caught')
    expect(runs).toEqual(['caught'])
    fails = false
    runs.length = 0
    expect((await replay(process, executionId, 'tried')).result).toBe('fine')
    expect(runs).toEqual(['tried'])
  })
}

/** Steps that start in one millisecond are listed by their paths. */
function inAnyOrder(steps: readonly string[]): string[] {
  return steps.toSorted()
}
