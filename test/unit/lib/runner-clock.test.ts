import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { createTestRunner, type TestRunner } from '../../../src/testing/index.ts'
import type { TypedWorkflow } from '../../../src/workflow/definition.ts'
import { createSchedule } from '../../../src/workflow/schedule/create-schedule.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andSleep } from '../../../src/workflow/steps/and-sleep.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'

const DAY_MS = 86_400_000

const never = () => new Promise<string>(() => undefined)
const hangingFunction = createWorkflow({
  id: 'hanging-function',
  run: ({ step }) => step.run('hang', never, { timeoutMs: 3_600_000 }),
})
const slow = createTool({
  name: 'slow',
  description: 'Hangs',
  inputSchema: z.object({}),
  execute: (_, { step }) => step.run('hang', never, { timeoutMs: 3_600_000 }),
})
const hangingTool = createWorkflow({
  id: 'hanging-tool',
  run: ({ step }) => step.tool('call', slow, {}),
})

describe('the clock of a test runner', () => {
  let runner: TestRunner | undefined
  afterEach(() => runner?.close())
  const start = (...workflows: TypedWorkflow<never, unknown>[]) => (runner = createTestRunner(workflows))

  it('runs schedules also when nothing was requested before', async () => {
    const tick = createWorkflow({ id: 'tick' }).andThen({ id: 'answer', execute: () => 'ticked' })
    const hourly = createSchedule({ id: 'hourly', cron: '30 * * * *', workflow: tick, input: {} })
    runner = createTestRunner({ config: { workflows: [tick], schedules: [hourly] } })
    await runner.advance('1d')
    expect(await runner.client.api.listExecutions({ query: { limit: '50' } })).toHaveLength(24)
  })

  it('wakes a sleep when it is advanced far enough', async () => {
    const nap = createWorkflow({ id: 'nap' })
      .andSleep({ id: 'sleep', for: '7d' })
      .andThen({ id: 'answer', execute: () => 'awake' })
    const tested = start(nap)
    const asleep = await tested.run(nap, {})
    expect(asleep.suspension?.reason).toBe('sleeping')
    await tested.advance('6d')
    expect(await asleep.record()).toMatchObject({ status: 'suspended' })
    await tested.advance('1d')
    expect(await asleep.record()).toMatchObject({ status: 'completed', output: 'awake' })
    expect((await asleep.settled()).result).toBe('awake')
  })

  it('ends executions at the timeout of their workflow', async () => {
    const order = createWorkflow({
      id: 'order',
      timeout: '3d',
      run: async ({ step }) => step.suspend('approve'),
    })
    const tested = start(order)
    const waiting = await tested.run(order, {})
    await tested.advance('2d')
    expect(await waiting.record()).toMatchObject({ status: 'suspended' })
    await tested.advance('1d')
    expect(await waiting.record()).toMatchObject({
      status: 'error',
      error: { name: 'WorkflowTimeoutError' },
    })
  })

  it('ends the waits for events whose time is over, and those whose event is sent', async () => {
    const payment = createWorkflow({ id: 'payment', inputSchema: z.object({ order: z.string() }) })
      .andWaitForEvent({
        id: 'paid',
        event: 'payment',
        key: ({ data }) => data.order,
        schema: z.object({ cents: z.number() }),
        timeout: '7d',
        onTimeout: 'continue',
      })
      .andThen({ id: 'answer', execute: ({ data }) => ('timedOut' in data ? 'late' : `paid ${data.cents}`) })
    const tested = start(payment)
    const [one, two] = [await tested.run(payment, { order: 'A' }), await tested.run(payment, { order: 'B' })]
    expect(one.suspension).toMatchObject({ reason: 'waiting for event', event: 'payment', key: 'A' })
    const sent = await tested.client.sendEvent({ name: 'payment', key: 'A', data: { cents: 5 } })
    expect(sent.resumed).toEqual([one.executionId])
    expect((await one.settled()).result).toBe('paid 5')
    await tested.advance('6d')
    expect(await two.record()).toMatchObject({ status: 'suspended' })
    await tested.advance('1d')
    expect((await two.settled()).result).toBe('late')
    // an event is kept for an hour of the same clock
    await tested.client.sendEvent({ name: 'payment', key: 'C', data: { cents: 7 } })
    await tested.advance('59m')
    expect((await tested.run(payment, { order: 'C' })).result).toBe('paid 7')
  })

  it('has the newest state of an execution that has settled several times', async () => {
    const trip = createWorkflow({ id: 'trip' })
      .andSleep({ id: 'first', for: '1d' })
      .andSleep({ id: 'second', for: '1d' })
      .andThen({ id: 'answer', execute: () => 'arrived' })
    const tested = start(trip)
    const asleep = await tested.run(trip, {})
    await tested.advance('1d')
    expect(await asleep.settled()).toMatchObject({ status: 'suspended', suspension: { stepId: 'second' } })
    await tested.advance('1d')
    expect(await asleep.settled()).toMatchObject({ status: 'completed', result: 'arrived' })
  })

  it('lets short sleeps and the delays of retries pass without waiting', async () => {
    let failures = 0
    const flaky = createWorkflow({ id: 'flaky' })
      .andSleep({ id: 'short', for: '5s' })
      .andThen({
        id: 'call',
        retries: { limit: 3, delayMs: 600_000 },
        execute: () => {
          if (failures++ < 3) throw new Error('busy')
          return 'done'
        },
      })
    const began = performance.now()
    const done = await start(flaky).run(flaky, {})
    expect(done.status).toBe('completed')
    expect(performance.now() - began).toBeLessThan(4000)
    const { createdAt, endedAt } = await done.record()
    expect(Date.parse(endedAt ?? '') - Date.parse(createdAt)).toBeGreaterThan(5000 + 3 * 15_000)
  })

  it('lets the window of a rate limit pass', async () => {
    const started: string[] = []
    const mail = createWorkflow({ id: 'mail', rateLimit: { limit: 2, per: '1m' } }).andThen({
      id: 'send',
      execute: ({ data }) => started.push(String(data['name'])),
    })
    const tested = start(mail)
    for (const name of ['a', 'b']) await tested.run(mail, { name })
    const third = tested.run(mail, { name: 'c' })
    await tested.advance('59s')
    expect(started).toEqual(['a', 'b'])
    await tested.advance('1m')
    expect((await third).status).toBe('completed')
    expect(started).toEqual(['a', 'b', 'c'])
  })

  it('wakes what is due one after the other, each after the work of the one before', async () => {
    const order: string[] = []
    const daily = createWorkflow({ id: 'daily' }).andDoUntil({
      id: 'days',
      step: andWorkflow({
        id: 'day',
        workflow: createWorkflow({ id: 'day' })
          .andSleep({ id: 'night', for: '1d' })
          .andThen({ id: 'wake', execute: () => ({ days: order.push('day') }) }),
      }),
      condition: ({ data }) => Number(data['days']) >= 9,
    })
    const weekly = createWorkflow({ id: 'weekly' })
      .andSleep({ id: 'sleep', for: 3.5 * DAY_MS })
      .andThen({ id: 'wake', execute: () => order.push('middle') })
    const tested = start(daily, weekly)
    await tested.run(daily, {})
    await tested.run(weekly, {})
    await tested.advance('7d')
    expect(order).toEqual(['day', 'day', 'day', 'middle', 'day', 'day', 'day', 'day'])
  })

  it('ends waits for a person, and steps that take too long', async () => {
    const waiting = createWorkflow({ id: 'waiting' }).andThen({
      id: 'approve',
      suspendTimeout: '3d',
      execute: ({ suspend, timedOut }) => (timedOut ? 'nobody came' : suspend('Waits for approval')),
    })
    const hanging = createWorkflow({ id: 'hanging' }).andThen({
      id: 'hang',
      timeoutMs: 600_000,
      execute: ({ signal }) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })
    const tested = start(waiting, hanging)
    const suspended = await tested.run(waiting, {})
    const hung = tested.run(hanging, {})
    await tested.advance('3d')
    expect((await suspended.settled()).result).toBe('nobody came')
    expect((await hung).error?.name).toBe('StepTimeoutError')
  })

  it('ends a step that hangs while its execution is awaited, with all its attempts', async () => {
    let attempts = 0
    const hanging = createWorkflow({ id: 'hanging' })
      .andThen({
        id: 'first',
        suspendTimeout: '3d',
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('x'),
      })
      .andThen({
        id: 'hang',
        timeoutMs: 3_600_000,
        retries: 1,
        execute: () => {
          attempts++
          return new Promise<string>(() => undefined)
        },
      })
    const nap = createWorkflow({ id: 'nap' })
      .andSleep({ id: 'sleep', for: '30m' })
      .andThen({ id: 'answer', execute: () => 'awake' })
    const tested = start(hanging, nap)
    const asleep = await tested.run(nap, {})
    const suspended = await tested.run(hanging, {})
    const ended = await suspended.resume({ go: true })
    expect(ended.error).toMatchObject({ name: 'StepTimeoutError', stepId: 'hang' })
    expect(attempts).toBe(2)
    // what is due before has happened before
    expect(await asleep.record()).toMatchObject({ status: 'completed', output: 'awake' })
    const { createdAt, endedAt } = await ended.record()
    expect(Date.parse(endedAt ?? '') - Date.parse(createdAt)).toBeGreaterThan(2 * 3_600_000)
  })

  it.each<[string, TypedWorkflow<never, unknown>]>([
    ['a function', hangingFunction],
    ['a tool that it calls', hangingTool],
  ])('ends a step.run of %s that hangs', async (_, workflow) => {
    const ended = await start(workflow).run(workflow, {} as never)
    expect(ended).toMatchObject({ status: 'error', error: { name: 'StepTimeoutError', stepId: 'hang' } })
    expect(await ended.settled()).toMatchObject({ status: 'error' })
  })

  it('ends a step that hangs beside a timer that was open before', async () => {
    const before = setInterval(() => undefined, 60_000)
    const hanging = createWorkflow({ id: 'hanging' }).andThen({
      id: 'hang',
      timeoutMs: 3_600_000,
      execute: () => new Promise<string>(() => undefined),
    })
    try {
      expect((await start(hanging).run(hanging, {})).error?.name).toBe('StepTimeoutError')
    } finally {
      clearInterval(before)
    }
  })

  it('waits for a step that has a timer, however long it does nothing else', async () => {
    const slow = createWorkflow({ id: 'slow' }).andThen({
      id: 'work',
      timeoutMs: 3_600_000,
      execute: () => new Promise<string>((resolve) => setTimeout(() => resolve('worked'), 3000)),
    })
    expect((await start(slow).run(slow, {})).result).toBe('worked')
  })

  it('does not pass a short sleep while a step works', async () => {
    const race = createWorkflow({ id: 'race' }).andRace({
      id: 'first',
      steps: [
        andSleep({ id: 'sleep', for: '5s' }),
        andThen({
          id: 'work',
          execute: async () => {
            await new Promise((resolve) => setTimeout(resolve, 100))
            return 'worked'
          },
        }),
      ],
    })
    expect((await start(race).run(race, {})).result).toBe('worked')
  })

  it.each(['7 days', '-1d', -1, Number.NaN])('refuses the duration %s', async (duration) => {
    await expect(start().advance(duration as '7d')).rejects.toThrow(
      /^advance\(\): ".*" is not a duration; use/,
    )
  })
})
