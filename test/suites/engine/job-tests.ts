import { expect, it } from 'vitest'
import type { Job } from '../../../src/store/dispatcher.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import { agentRunRow } from '../store/agent-run-rows.ts'
import { executionRow } from '../store/execution-rows.ts'
import type { Engines } from './engine-suite.ts'
import type { EngineProcess } from './engine-process.ts'
import { gated, giving, suspending } from './sample-steps.ts'

const HOUR_MS = 3_600_000

/** Jobs that the dispatcher keeps for executions. */
export function jobTests(engines: Engines): void {
  /** A step that fails once, and is retried after a time. */
  const flaky = (delayMs: number, id = 'a') =>
    andThen({
      id,
      retries: { limit: 1, delayMs, maxDelayMs: delayMs },
      execute: ({ attempt }) => {
        if (attempt === 1) throw new Error('again')
        return `${id}${attempt}`
      },
    })
  const failed = (process: EngineProcess, executionId: string, id = 'a') =>
    until(async () => (await process.story(executionId)).includes(`step-error ${id}`))
  const jobsOf = ({ store }: EngineProcess) => ({
    added: store.jobs.flatMap(({ add = [] }) => add.map(({ key }) => key)),
    dropped: store.jobs.flatMap(({ drop = [] }) => drop),
  })
  const add = (process: EngineProcess, key: string, job: Job) =>
    process.store.dispatcher.change({ add: [{ key, job }] })

  it('a retry after more than five seconds is stored as a job with the failed attempt', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS))])
    const { executionId } = await process.startExecution('w')
    await failed(process, executionId)
    const { wakeAt } = (await process.store.executions.steps(executionId))[0] ?? {}
    const sequence = await process.store.executions.lastSequence(executionId)
    expect(process.store.jobs).toEqual([
      {
        add: [{ key: `wake:${executionId}:a`, at: wakeAt, job: { kind: 'wake', id: executionId, sequence } }],
        drop: [],
      },
    ])
  })

  it('a retry within five seconds stores no job', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(20), giving('b', 'b'))])
    expect((await process.execute('w')).status).toBe('completed')
    expect(process.store.jobs).toEqual([])
  })

  it('a step that waits for a retry goes on when its job finds that the time has come', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS))])
    const { executionId, result } = await process.startExecution('w')
    await failed(process, executionId)
    process.clock.advance(HOUR_MS)
    await add(process, 'now', { kind: 'wake', id: executionId, sequence: 1 })
    expect((await result()).result).toBe('a2')
    expect(jobsOf(process).dropped).toEqual([`wake:${executionId}:a`])
  })

  it('a wake before its time changes nothing', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS), giving('b', 'b'))])
    const { executionId } = await process.startExecution('w')
    await failed(process, executionId)
    await add(process, 'now', { kind: 'wake', id: executionId, sequence: 1 })
    await add(process, 'end', { kind: 'begin', workflowId: 'w', executionId: 'other', input: '{}' })
    await failed(process, 'other')
    expect(await process.steps(executionId)).toEqual(['a running 1'])
  })

  it('no job is taken while the database is away, and one that fails then is not logged', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS))])
    const { server } = process.store
    expect(server?.room()).toBeGreaterThan(0)
    const comeBack = process.store.leave()
    expect(server?.room()).toBe(0)
    await expect(server?.run({ kind: 'wake', id: 'x', sequence: 1 }, 1)).rejects.toThrow('away')
    comeBack()
    expect(server?.room()).toBeGreaterThan(0)
    expect(process.logs.filter(({ level }) => level >= 50)).toEqual([])
  })

  it('a stored retry is done at its time after a restart, and its job is dropped', async () => {
    const before = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS))])
    const { executionId } = await before.startExecution('w')
    await failed(before, executionId)
    await before.crash()
    before.clock.advance(HOUR_MS)
    const after = await engines.next(before)
    await expect.poll(() => after.status(executionId)).toBe('completed')
    expect(jobsOf(after)).toEqual({ added: [], dropped: [`wake:${executionId}:a`] })
  })

  it('a stored retry is dropped when the execution is cancelled, or another branch fails', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, flaky(HOUR_MS)),
      createWorkflow({ id: 'all' }).andAll({
        id: 'g',
        steps: [
          flaky(HOUR_MS),
          andThen({
            id: 'b',
            execute: async ({ executionId }) => {
              await failed(process, executionId)
              throw new Error('no')
            },
          }),
        ],
      }),
    ])
    const { executionId } = await process.startExecution('w')
    await failed(process, executionId)
    await process.engine.executions.cancel({ executionId })
    const group = await process.executeFailing('all')
    const keys = [`wake:${executionId}:a`, `wake:${group.id}:g/a`]
    expect(jobsOf(process)).toEqual({ added: keys, dropped: keys })
  })

  it('a stored retry survives that the execution suspends, and is dropped when it is cancelled then', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, flaky(HOUR_MS))])
    const { executionId } = await process.startExecution('w')
    await failed(process, executionId)
    await process.engine.executions.suspend({ executionId })
    expect(jobsOf(process).dropped).toEqual([])
    await process.engine.executions.cancel({ executionId })
    expect(jobsOf(process).dropped).toEqual([`wake:${executionId}:a`])
  })

  it('a job starts an execution with its id once, however often it is done', async () => {
    const runs: unknown[] = []
    const step = andThen({ id: 'a', execute: ({ data }) => runs.push(data) })
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const begin = { kind: 'begin', workflowId: 'w', executionId: 'tick:1', input: '{"n":1}' } as const
    await Promise.all(['k1', 'k2', 'k3'].map((key) => add(process, key, begin)))
    await until(async () => (await process.engine.queries.count({ status: 'completed' })) === 1)
    await add(process, 'k4', begin)
    await add(process, 'end', { ...begin, executionId: 'end' })
    await until(async () => (await process.engine.queries.count({ status: 'completed' })) === 2)
    expect(runs).toEqual([{ n: 1 }, { n: 1 }])
    expect(process.logs.filter(({ level }) => level >= 40)).toEqual([])
  })

  it('a job that starts an execution waits while its workflow is not in the configuration', async () => {
    const process = await engines.start([])
    await add(process, 'k', { kind: 'begin', workflowId: 'w', executionId: 'e', input: '{}' })
    const logged = () => process.logs.filter(({ level }) => level >= 40)
    await until(() => logged().length > 0)
    expect(await process.engine.queries.count({})).toBe(0)
    expect(logged()).toEqual([
      expect.objectContaining({
        level: 40,
        executionId: 'e',
        workflowId: 'w',
        msg: "The execution can't be started: the configuration has no workflow with this id",
      }),
    ])
    process.reload([createWorkflow({ id: 'w' }, giving('a', 'a'))])
    await process.engine.recover()
    await until(async () => (await process.engine.queries.count({ status: 'completed' })) === 1)
  })

  it('a job starts its execution once the database works again', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 'a'))])
    process.store.refuse()
    await add(process, 'k', { kind: 'begin', workflowId: 'w', executionId: 'e', input: '{}' })
    await until(() => process.logs.find(({ msg }) => msg.startsWith('The execution could not be started')))
    expect(await process.engine.queries.count({})).toBe(0)
    process.store.recover()
    await process.engine.recover()
    await expect.poll(() => process.engine.queries.count({ status: 'completed' })).toBe(1)
  })

  it('an execution that runs nowhere is continued by its wake, unless it has gone on since', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 'a'), suspending('b'))])
    const { executionId } = await process.execute('w')
    const sequence = await process.store.executions.lastSequence(executionId)
    // suspended: there is nothing to continue
    await add(process, 'k0', { kind: 'wake', id: executionId, sequence })
    const { ownerEpoch } = process.store
    const insert = executionRow({ id: 'e', ownerEpoch, workflowId: 'w' })
    await process.store.executions.write([
      { id: 'e', insert, events: [{ seq: 1, data: '{"type":"workflow-start"}' }] },
    ])
    await add(process, 'k1', { kind: 'wake', id: 'e', sequence: 0 })
    await process.engine.recover()
    expect(await process.steps('e')).toEqual([])
    await add(process, 'k2', { kind: 'wake', id: 'e', sequence: 1 })
    await expect.poll(() => process.status('e')).toBe('suspended')
    expect(await process.store.executions.lastSequence(executionId)).toBe(sequence)
  })

  it('the agent runs of a process that has ended are ended, as soon as its death is noticed', async () => {
    const process = await engines.start([])
    const { agentRuns, ownerEpoch, server } = process.store
    await agentRuns.insert(agentRunRow({ id: 'r', ownerEpoch: ownerEpoch - 1 }))
    server?.onDeath(ownerEpoch - 1)
    await expect
      .poll(async () => (await agentRuns.list({}, { limit: 10, offset: 0 })).map(({ status }) => status))
      .toEqual(['error'])
  })

  it('a machine reports its running executions and its load', async () => {
    const { step, running, open } = gated('a')
    const process = await engines.start([createWorkflow({ id: 'w' }, step)], { release: () => '1.0.0 abc' })
    const { result } = await process.startExecution('w')
    await running
    const status = process.store.server?.status()
    expect(status).toEqual({ release: '1.0.0 abc', executions: 1, load: expect.any(Number) })
    expect(status?.load).toBeGreaterThanOrEqual(0)
    expect(status?.load).toBeLessThanOrEqual(1)
    open()
    await result()
    expect(process.store.server?.status().executions).toBe(0)
  })

  it('an execution that has another owner by now is not recovered', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, giving('a', 'a'))])
    const { ownerEpoch } = process.store
    const insert = executionRow({ id: 'e', ownerEpoch: ownerEpoch + 1, workflowId: 'w' })
    await process.store.executions.write([{ id: 'e', insert }])
    await add(process, 'k1', { kind: 'continue', id: 'e', from: ownerEpoch + 2 })
    await process.engine.recover()
    expect(await process.steps('e')).toEqual([])
    await add(process, 'k2', { kind: 'continue', id: 'e', from: ownerEpoch + 1 })
    await expect.poll(() => process.status('e')).toBe('completed')
  })
}
