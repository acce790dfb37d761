import { expect, it } from 'vitest'
import { NO_METER } from '../../../src/engine/engine-meter.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { toIso } from '../../../src/lib/clock.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { createSchedule } from '../../../src/workflow/schedule/create-schedule.ts'
import type { ScheduleConfig } from '../../../src/workflow/schedule/schedule.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, suspending } from './sample-steps.ts'

const HOUR_MS = 3_600_000
const QUICK = createWorkflow({ id: 'w' }, giving('a', 'a'))

/** Schedules, on a clock that is moved by hand. */
export function scheduleTests(engines: Engines): void {
  const hourly = (
    options: Partial<Omit<ScheduleConfig, 'cron' | 'every' | 'workflow'>> = {},
    workflow: WorkflowDefinition = QUICK,
  ) => createSchedule({ id: 's', every: '1h', workflow, ...options })
  const row = async ({ store }: EngineProcess) => {
    const found = await store.schedules.get('s')
    if (!found) throw new Error('There is no schedule')
    return found
  }
  /** Does the job of the next instant now, as the dispatcher does when the system clock reaches it. */
  const doTick = async (process: EngineProcess, at: number | null) => {
    const job = { kind: 'tick', schedule: 's', at } as const
    await process.store.dispatcher.change({ add: [{ key: `now:${at}:${Math.random()}`, job }] })
  }
  /** Moves the clock to the next instant, plus some more time, and does its job. Returns the instant. */
  const reach = async (process: EngineProcess, moreMs = 0): Promise<number> => {
    const { nextAt, revision } = await row(process)
    if (nextAt === null) throw new Error('There is no next instant')
    process.clock.advance(nextAt - process.clock.now() + moreMs)
    await doTick(process, nextAt)
    await until(async () => (await row(process)).revision > revision)
    return nextAt
  }
  const executions = async (process: EngineProcess) =>
    (await process.store.executions.list({ workflowId: 'w' }, { limit: 3000, offset: 0 })).map(({ id }) => id)
  const ids = (...instants: number[]) => instants.map((at) => `schedule:s:${toIso(at)}`).toReversed()
  /** A workflow whose executions end when they are told to, in the order of their start. */
  const held = () => {
    const started: (() => void)[] = []
    const step = andThen({
      id: 'a',
      execute: async () => {
        const gate = createDeferred<void>()
        started.push(gate.resolve)
        await gate.promise
        return 'a'
      },
    })
    return { workflow: createWorkflow({ id: 'w' }, step), started }
  }

  it('an instant starts one execution, whose id and input name it, and the next one follows', async () => {
    const schedule = hourly({
      input: ({ scheduledAt }: { scheduledAt: Date }) => ({ at: scheduledAt.toISOString() }),
    })
    const process = await engines.start([QUICK], { schedules: [schedule] })
    const first = await reach(process)
    const second = await reach(process)
    expect(second).toBe(first + HOUR_MS)
    await expect.poll(() => executions(process)).toEqual(ids(first, second))
    const [id = ''] = ids(second)
    expect((await process.detail(id)).scheduleId).toBe('s')
    expect((await process.engine.schedules.get('s')).recentRuns).toMatchObject(
      ids(first, second).map((executionId) => ({ executionId })),
    )
    expect((await process.detail(id)).input).toEqual({ at: toIso(second) })
    expect(await row(process)).toMatchObject({
      nextAt: second + HOUR_MS,
      lastExecutionId: id,
      lastAt: second,
    })
  })

  it('the job of an instant that was done changes nothing', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    const first = await reach(process)
    const { revision } = await row(process)
    await doTick(process, first)
    await doTick(process, first - HOUR_MS)
    await reach(process)
    expect((await row(process)).revision).toBe(revision + 1)
    expect(await executions(process)).toHaveLength(2)
  })

  it('an execution that was started before the process ended is not started again', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    const { nextAt } = await row(process)
    const [id = ''] = ids(nextAt ?? 0)
    await process.execute('w', {}, { executionId: id, origin: 'schedule:s' })
    await reach(process)
    expect(await executions(process)).toEqual([id])
    expect(await row(process)).toMatchObject({ tickAt: nextAt, nextAt: (nextAt ?? 0) + HOUR_MS })
  })

  it.each(['skip', 'allow'] as const)(
    'an instant whose id something else has taken is an error in log, metric and state, also with overlap %s',
    async (overlap) => {
      const taken: string[] = []
      const meter = { ...NO_METER, idTaken: (workflowId: string) => taken.push(workflowId) }
      const schedule = hourly({ overlap })
      const process = await engines.start([QUICK], { schedules: [schedule], meter })
      const { nextAt } = await row(process)
      const [id = ''] = ids(nextAt ?? 0)
      await process.execute('w', {}, { executionId: id, origin: 'code' })
      const instant = await reach(process)
      const state = () => process.engine.executions.schedules.get('s')
      expect(await executions(process)).toEqual([id])
      expect(taken).toEqual(['w'])
      expect(process.logs).toContainEqual(
        expect.objectContaining({ level: 50, scheduleId: 's', executionId: id, workflowId: 'w' }),
      )
      expect((await state()).lastRun).toEqual({
        executionId: id,
        scheduledAt: toIso(instant),
        status: null,
        endedAt: null,
        error: `Not started: something else made the execution ${id}`,
      })
      const next = await reach(process)
      expect(await executions(process)).toEqual(ids(instant, next))
      expect((await state()).lastRun).not.toHaveProperty('error')
    },
  )

  it('a reload with the same instants changes nothing, one with others replaces the next', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    const before = await row(process)
    process.reload([QUICK], [hourly({ overlap: 'allow' })])
    await process.engine.recover()
    expect(await row(process)).toEqual(before)
    process.reload([QUICK], [createSchedule({ id: 's', every: '2h', workflow: QUICK })])
    await process.engine.recover()
    const after = await row(process)
    expect(after.rule).toBe('every 7200000')
    expect((after.nextAt ?? 0) % (2 * HOUR_MS)).toBe(0)
    expect(await executions(process)).toEqual([])
    await reach(process)
    expect(await executions(process)).toHaveLength(1)
  })

  it('an instant that is due when a reload changes the instants is not lost', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    const { nextAt } = await row(process)
    process.clock.advance((nextAt ?? 0) - process.clock.now() + 5)
    process.reload([QUICK], [createSchedule({ id: 's', cron: '0 * * * *', workflow: QUICK })])
    await process.engine.recover()
    expect((await row(process)).nextAt).toBe(nextAt)
    await doTick(process, nextAt)
    await until(async () => (await executions(process)).length > 0)
    expect(await executions(process)).toEqual(ids(nextAt ?? 0))
  })

  it('a schedule that is removed is forgotten', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    process.reload([QUICK])
    await process.engine.recover()
    expect(await process.store.schedules.list()).toEqual([])
    expect(await process.engine.schedules.list()).toEqual([])
    await expect(process.engine.schedules.get('s')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('an instant is left to servers whose configuration has it', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()] })
    const { nextAt } = await row(process)
    process.reload([QUICK])
    process.clock.advance(HOUR_MS)
    expect(await process.store.server?.run({ kind: 'tick', schedule: 's', at: nextAt }, 1)).toBe('later')
    expect(await executions(process)).toEqual([])
  })

  it('a process that runs no schedules leaves their instants to others', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly()], runsSchedules: false })
    expect(await process.store.schedules.list()).toEqual([])
    expect(await process.store.server?.run({ kind: 'tick', schedule: 's', at: 1 }, 1)).toBe('later')
    expect((await process.engine.schedules.list())[0]?.next).toHaveLength(5)
  })

  it.each([
    ['none', []],
    ['last', [3]],
    ['all', [1, 2, 3]],
  ] as const)('after downtime, catchUp %s makes up for the instants %j', async (catchUp, expected) => {
    const before = await engines.start([QUICK], { schedules: [hourly({ catchUp })] })
    const { nextAt } = await row(before)
    const first = nextAt ?? 0
    await before.crash()
    before.clock.advance(first - before.clock.now() + 2.5 * HOUR_MS)
    const after = await engines.next(before)
    await doTick(after, first)
    await until(async () => (await row(after)).nextAt === first + 3 * HOUR_MS)
    const wanted = ids(...expected.map((index) => first + (index - 1) * HOUR_MS))
    await until(async () => (await executions(after)).length >= wanted.length)
    expect((await executions(after)).toSorted()).toEqual(wanted.toSorted())
    const logged = after.logs.filter(({ msg }) => msg.includes('missed instants'))
    expect(logged).toEqual([expect.objectContaining({ scheduleId: 's', run: wanted.length, catchUp })])
  })

  it('at most the newest thousand missed instants are made up for', async () => {
    const schedule = createSchedule({
      id: 's',
      every: '1s',
      workflow: QUICK,
      catchUp: 'all',
      overlap: 'allow',
    })
    const before = await engines.start([QUICK], { schedules: [{ ...schedule, paused: true }] })
    await before.engine.schedules.resume('s')
    const { nextAt } = await row(before)
    await before.engine.schedules.pause('s')
    await before.crash()
    before.clock.advance(10 * HOUR_MS)
    const after = await engines.next(before)
    const stored = await row(after)
    await after.store.schedules.save({ ...stored, revision: stored.revision + 1, paused: false, nextAt })
    await doTick(after, nextAt)
    await until(async () => (await executions(after)).length >= 1000)
    expect(after.logs.some(({ msg }) => msg.includes('at most the newest 1000'))).toBe(true)
  })

  it('with overlap skip, an instant is left out while the execution before it runs or is suspended', async () => {
    const workflow = createWorkflow({ id: 'w' }, suspending('ask'))
    const process = await engines.start([workflow], { schedules: [hourly({}, workflow)] })
    const first = await reach(process)
    const [id = ''] = ids(first)
    await until(async () => (await process.status(id)) === 'suspended')
    await reach(process)
    expect(await executions(process)).toEqual([id])
    await process.resume(id, 'ok')
    const third = await reach(process)
    expect(await executions(process)).toEqual(ids(first, third))
  })

  it('with overlap allow, executions run beside each other', async () => {
    const { workflow, started } = held()
    const process = await engines.start([workflow], { schedules: [hourly({ overlap: 'allow' }, workflow)] })
    const instants = [await reach(process), await reach(process)]
    await until(() => started.length === 2)
    expect(await executions(process)).toEqual(ids(...instants))
    for (const end of started) end()
  })

  it('with overlap queue, each execution starts after the one before it, also when that is cancelled', async () => {
    const { workflow, started } = held()
    const process = await engines.start([workflow], { schedules: [hourly({ overlap: 'queue' }, workflow)] })
    const first = await reach(process)
    await until(() => started.length === 1)
    const rest = [await reach(process), await reach(process)]
    expect((await row(process)).waiting).toEqual(rest)
    expect(await executions(process)).toEqual(ids(first))
    started[0]?.()
    await until(() => started.length === 2)
    await until(async () => (await process.engine.schedules.get('s')).waiting === 1)
    await process.engine.executions.cancel({ executionId: ids(rest[0] ?? 0)[0] ?? '' })
    await until(() => started.length === 3)
    expect(await executions(process)).toEqual(ids(first, ...rest))
    started[2]?.()
  })

  it('an execution that waits starts after a restart', async () => {
    const { workflow, started } = held()
    const process = await engines.start([workflow], { schedules: [hourly({ overlap: 'queue' }, workflow)] })
    const instants = [await reach(process), await reach(process)]
    await until(() => started.length === 1)
    await process.crash()
    const next = await engines.next(process)
    await until(() => started.length === 2)
    started[1]?.()
    await until(() => started.length === 3)
    started[2]?.()
    expect(await executions(next)).toEqual(ids(...instants))
  })

  it('pausing is stored, and resuming goes on with the first instant from then', async () => {
    const before = await engines.start([QUICK], { schedules: [hourly()] })
    const { nextAt } = await row(before)
    expect(await before.engine.schedules.pause('s')).toMatchObject({ paused: true, next: [] })
    await before.crash()
    before.clock.advance(3 * HOUR_MS)
    const after = await engines.next(before)
    await after.engine.recover()
    await doTick(after, nextAt)
    expect(await after.engine.schedules.get('s')).toMatchObject({ paused: true, next: [] })
    const { paused, next } = await after.engine.schedules.resume('s')
    expect({ paused, next: next.length }).toEqual({ paused: false, next: 5 })
    expect(toIso((await row(after)).nextAt ?? 0)).toBe(next[0])
    expect(await executions(after)).toEqual([])
    const at = await reach(after)
    expect(await executions(after)).toEqual(ids(at))
  })

  it('a schedule that is declared as paused stays resumed once it was', async () => {
    const before = await engines.start([QUICK], { schedules: [hourly({ paused: true })] })
    expect(await before.engine.schedules.get('s')).toMatchObject({ paused: true })
    await before.engine.schedules.resume('s')
    await before.crash()
    const after = await engines.next(before)
    expect(await after.engine.schedules.get('s')).toMatchObject({ paused: false })
  })

  it('a trigger starts an execution now, also while the schedule is paused', async () => {
    const process = await engines.start([QUICK], { schedules: [hourly({ paused: true })] })
    const { executionId } = await process.engine.schedules.trigger('s')
    await until(async () => (await process.status(executionId)) === 'completed')
    expect((await process.engine.schedules.get('s')).lastRun).toMatchObject({
      executionId,
      status: 'completed',
      endedAt: expect.any(String),
    })
    // the same workflow, started by something else
    await process.startExecution('w')
    const { recentRuns } = await process.engine.schedules.get('s')
    expect(recentRuns).toMatchObject([{ executionId, status: 'completed', createdAt: expect.any(String) }])
  })

  it('an input that can not be chosen, or that the workflow refuses, leaves the instant out', async () => {
    let call = 0
    const workflow = createWorkflow({ id: 'w', inputSchema: { type: 'object', required: ['n'] } })
    const input = () => {
      if (++call === 1) throw new Error('no input today')
      return call === 2 ? {} : { n: 1 }
    }
    const process = await engines.start([workflow], { schedules: [hourly({ input }, workflow)] })
    await reach(process)
    await reach(process)
    expect(await executions(process)).toEqual([])
    const third = await reach(process)
    expect(await executions(process)).toEqual(ids(third))
    const logged = process.logs.filter(({ level }) => level >= 50)
    expect(logged.map(({ err }) => (err as Error).message)).toEqual([
      'no input today',
      expect.stringContaining('Input validation failed'),
    ])
    call = 1
    await expect(process.engine.schedules.trigger('s')).rejects.toMatchObject({ code: 'invalid_input' })
  })
}
