import { expect, it } from 'vitest'
import { z } from 'zod'
import type { EventSender } from '../../../src/engine/events/senders.ts'
import type { EventToSend } from '../../../src/step/event-to-send.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andForEach } from '../../../src/workflow/steps/and-for-each.ts'
import { andSleep } from '../../../src/workflow/steps/and-sleep.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWaitForEvent } from '../../../src/workflow/steps/and-wait-for-event.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, suspending } from './sample-steps.ts'

const HOUR_MS = 3_600_000
const WAIT = { id: 'paid', event: 'payment' } as const
const AMOUNT = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const

/** andWaitForEvent and events. */
export function eventTests(engines: Engines): void {
  const send = (process: EngineProcess, event: Partial<EventToSend> = {}) =>
    process.engine.executions.sendEvent({ name: 'payment', ...event })
  const awaits = (process: EngineProcess, id: string, name = 'payment') =>
    until(async () => {
      const steps = await process.store.events.waiting({ name, key: null })
      return steps.some(({ executionId }) => executionId === id)
    }, `${id} to wait`)
  const settled = (process: EngineProcess, id: string, status: string) =>
    until(async () => (await process.status(id)) === status, `${id} to be ${status}`)
  const wake = (process: EngineProcess, id: string) =>
    process.store.dispatcher.change({ add: [{ key: `now:${id}`, job: { kind: 'wake', id, sequence: 0 } }] })
  const output = async (process: EngineProcess, id: string) => {
    await settled(process, id, 'completed')
    return (await process.detail(id)).output
  }
  const waiting = createWorkflow({ id: 'w' }).andWaitForEvent(WAIT)
  const byKey = createWorkflow({ id: 'k' }).andWaitForEvent({
    ...WAIT,
    key: ({ input }) => (input as { order: string }).order,
  })

  it('an execution waits suspended for its event, whose data is the result of the step', async () => {
    const process = await engines.start([waiting])
    const { executionId, status, suspension } = await process.execute('w')
    expect({ status, ...suspension }).toMatchObject({
      status: 'suspended',
      reason: 'waiting for event',
      event: 'payment',
      stepId: 'paid',
    })
    expect(suspension).not.toHaveProperty('key')
    expect(suspension).not.toHaveProperty('wakeAt')
    expect(process.engine.running.size).toBe(0)
    const { resumed, eventId } = await send(process, { data: { amount: 5 }, id: 'e1' })
    expect({ resumed, eventId }).toEqual({ resumed: [executionId], eventId: 'e1' })
    expect(await output(process, executionId)).toEqual({ amount: 5 })
    expect(await process.engine.queries.events({ limit: 9, owner: undefined })).toMatchObject([
      { id: 'e1', name: 'payment', key: null, data: { amount: 5 }, senderId: null, takenBy: [executionId] },
    ])
    expect(await process.engine.queries.events({ limit: 9, owner: '"ann"' })).toEqual([])
    expect(await process.story(executionId)).toEqual([
      'workflow-start',
      'step-start paid',
      'workflow-suspended',
      'workflow-result',
      'workflow-resumed',
      'step-complete paid',
      'workflow-complete',
      'workflow-result',
    ])
  })

  it('an event resumes all executions that wait for its name and key, and no others', async () => {
    const process = await engines.start([waiting, byKey])
    const [a1, a2, b] = await Promise.all(['A', 'A', 'B'].map((order) => process.execute('k', { order })))
    const plain = await process.execute('w')
    expect(a1?.suspension).toMatchObject({ event: 'payment', key: 'A' })
    const { resumed } = await send(process, { key: 'A', data: 1 })
    const ids = [a1, a2].map((result) => result?.executionId ?? '')
    expect(resumed).toEqual(ids.toSorted())
    expect(await process.status(b?.executionId ?? '')).toBe('suspended')
    expect(await process.status(plain.executionId)).toBe('suspended')
    expect((await send(process, { name: 'other' })).resumed).toEqual([])
    expect((await send(process)).resumed).toEqual([plain.executionId])
    expect(await output(process, plain.executionId)).toBeNull()
  })

  it('an event that came up to the retention before a wait is found, and an older one is not', async () => {
    const process = await engines.start([waiting], { eventsMs: HOUR_MS })
    await send(process, { data: 'old' })
    process.clock.advance(HOUR_MS + 1)
    expect((await process.execute('w')).status).toBe('suspended')
    await send(process, { data: 'for the first' })
    await send(process, { data: 'kept' })
    process.clock.advance(HOUR_MS - 60_000)
    const { status, result } = await process.execute('w')
    expect({ status, result }).toEqual({ status: 'completed', result: 'for the first' })
  })

  it('events with the same id count once', async () => {
    const twice = createWorkflow({ id: 'w' })
      .andWaitForEvent(WAIT)
      .andWaitForEvent({ ...WAIT, id: 'again' })
    const process = await engines.start([twice])
    const { executionId } = await process.execute('w')
    expect((await send(process, { id: 'e1', data: 1 })).resumed).toEqual([executionId])
    await process.recorded(executionId, 'again', 'suspended')
    await settled(process, executionId, 'suspended')
    expect(await send(process, { id: 'e1', data: 2 })).toEqual({
      eventId: 'e1',
      resumed: [],
      started: [],
      cancelled: [],
    })
    expect(await process.status(executionId)).toBe('suspended')
    await send(process, { id: 'e2', data: 3 })
    expect(await output(process, executionId)).toBe(3)
    expect((await process.step(executionId, 'paid'))?.output).toBe(1)
  })

  it('the waits of an execution take the events that came before in their order, each once', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andForEach({
        id: 'each',
        items: () => [1, 2, 3],
        step: andWaitForEvent({ id: 'one', event: 'payment' }),
      }),
    ])
    for (const data of ['a', 'b', 'c']) await send(process, { data })
    expect((await process.execute('w')).result).toEqual(['a', 'b', 'c'])
    expect((await process.execute('w')).result).toEqual(['a', 'b', 'c'])
  })

  it('data that does not match the schema of a waiting step is refused, and nobody is resumed', async () => {
    const strict = createWorkflow({ id: 's' }).andWaitForEvent({ ...WAIT, schema: AMOUNT })
    const process = await engines.start([waiting, strict])
    const first = await process.execute('s')
    const second = await process.execute('w')
    await expect(send(process, { id: 'e1', data: { amount: 'x' } })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('data.amount'),
    })
    expect(await process.status(first.executionId)).toBe('suspended')
    expect(await process.status(second.executionId)).toBe('suspended')
    const { resumed } = await send(process, { id: 'e1', data: { amount: 2 } })
    expect(resumed).toEqual([first.executionId, second.executionId].toSorted())
  })

  it('an event that came before, and does not match the schema, is passed over', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWaitForEvent({ ...WAIT, schema: AMOUNT }),
    ])
    await send(process, { data: 'no object' })
    await send(process, { data: { amount: 3 } })
    expect((await process.execute('w')).result).toEqual({ amount: 3 })
  })

  it('a wait whose time is over fails its step', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWaitForEvent({ ...WAIT, timeout: '1h' }),
    ])
    const { executionId, suspension } = await process.execute('w')
    const [job] = process.store.jobs.flatMap(({ add = [] }) => add)
    expect(suspension?.wakeAt).toBe(new Date(job?.at ?? 0).toISOString())
    process.clock.advance(HOUR_MS)
    await wake(process, executionId)
    await settled(process, executionId, 'error')
    expect((await process.detail(executionId)).error).toMatchObject({
      name: 'EventTimeoutError',
      message: 'No event "payment" came within 1h',
      stepId: 'paid',
    })
    expect((await send(process)).resumed).toEqual([])
  })

  it('a wait whose time is over has the result timedOut, when it may continue', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWaitForEvent({ ...WAIT, timeout: '1h', onTimeout: 'continue' }),
    ])
    const { executionId } = await process.execute('w')
    process.clock.advance(HOUR_MS)
    await wake(process, executionId)
    expect(await output(process, executionId)).toEqual({ timedOut: true })
  })

  it('a key that is no text fails the step', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andWaitForEvent({ ...WAIT, key: () => 7 as unknown as string }),
    ])
    expect((await process.executeFailing('w')).error?.message).toBe('the result of key must be a string')
  })

  it('a resume by hand ends the wait with its data', async () => {
    const process = await engines.start([waiting])
    const { executionId } = await process.execute('w')
    expect((await process.resume(executionId, 'by hand')).result).toBe('by hand')
    expect((await send(process)).resumed).toEqual([])
  })

  it('an event is taken at once while another branch runs', async () => {
    const gate = createDeferred<string>()
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andThen({ id: 'slow', execute: () => gate.promise }), andWaitForEvent(WAIT)],
      }),
    ])
    const { executionId } = await process.startExecution('w')
    await awaits(process, executionId)
    expect((await send(process, { data: 'now' })).resumed).toEqual([executionId])
    await process.recorded(executionId, 'all/paid', 'completed')
    gate.resolve('done')
    expect(await output(process, executionId)).toEqual(['done', 'now'])
  })

  it('an event wins a race, and the wait of a loser takes no event', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andRace({
        id: 'race',
        steps: [andWaitForEvent(WAIT), andWaitForEvent({ id: 'refund', event: 'refund' }), never('slow')],
      }),
    ])
    const { executionId } = await process.startExecution('w')
    await awaits(process, executionId, 'refund')
    await send(process, { name: 'refund', data: 'back' })
    expect(await output(process, executionId)).toBe('back')
    expect((await send(process)).resumed).toEqual([])
  })

  it('branches that wait for the same event get one event each', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andWaitForEvent(WAIT), andWaitForEvent({ ...WAIT, id: 'second' }), suspending('ask')],
      }),
    ])
    const { executionId } = await process.execute('w')
    expect((await send(process, { data: 1 })).resumed).toEqual([executionId])
    await process.recorded(executionId, 'all/paid', 'completed')
    await settled(process, executionId, 'suspended')
    expect((await process.step(executionId, 'all/second'))?.status).toBe('suspended')
    await send(process, { data: 2 })
    await process.recorded(executionId, 'all/second', 'completed')
  })

  it('the waits of items end one by one', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('a', ['x', 'y'])).andForEach({
        id: 'each',
        concurrency: 2,
        step: andWaitForEvent({ id: 'one', event: 'payment', key: ({ data }) => String(data) }),
      }),
    ])
    const { executionId } = await process.execute('w')
    await send(process, { key: 'y', data: 2 })
    await settled(process, executionId, 'suspended')
    await send(process, { key: 'x', data: 1 })
    expect(await output(process, executionId)).toEqual([1, 2])
  })

  it('an event resumes a child, and the parent that waits for it', async () => {
    const process = await engines.start([
      waiting,
      createWorkflow({ id: 'parent' }).andWorkflow({ id: 'child', workflow: waiting }),
    ])
    const { executionId, suspension } = await process.execute('parent')
    expect(suspension).toMatchObject({ reason: 'waiting for event', event: 'payment' })
    const [childId] = await process.children(executionId)
    expect((await send(process, { data: 4 })).resumed).toEqual([childId])
    expect(await output(process, executionId)).toBe(4)
  })

  it('an event that comes while an execution is being suspended is not lost', async () => {
    const process = await engines.start([waiting])
    const release = createDeferred<void>()
    const list = process.store.events.list.bind(process.store.events)
    // the run finds no event, and suspends after the event was sent to it
    let holds = true
    process.store.events.list = async (...args) => {
      const found = await list(...args)
      if (holds && found.length === 0) {
        holds = false
        await release.promise
      }
      return found
    }
    const next = await process.startExecution('w')
    await until(() => !holds, 'the events to be read')
    const { resumed } = await send(process, { data: 'early' })
    release.resolve()
    expect(resumed).toEqual([next.executionId])
    expect(await output(process, next.executionId)).toBe('early')
  })

  it('an event that was stored before a crash is delivered by the next process', async () => {
    const process = await engines.start([waiting])
    const { executionId } = await process.execute('w')
    const event = {
      id: 'e1',
      name: 'payment',
      key: null,
      data: '"kept"',
      at: process.clock.now(),
      sender: null,
      misfits: null,
    }
    const job = { key: 'event:e1', job: { kind: 'event', id: 'e1' }, at: process.clock.now() + 5000 } as const
    await process.store.events.insert(event, [job])
    await process.crash()
    process.clock.advance(6000)
    const next = await engines.next(process)
    await next.store.dispatcher.change({ add: [{ key: 'now', job: { kind: 'event', id: 'e1' } }] })
    expect(await output(next, executionId)).toBe('kept')
  })

  it('a wait that was interrupted by a crash takes the event that came meanwhile', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andWaitForEvent(WAIT), andSleep({ id: 'nap', for: '4s' })],
      }),
    ])
    const { executionId } = await process.startExecution('w')
    await awaits(process, executionId)
    await process.crash()
    const next = await engines.next(process)
    await send(next, { data: 'after' })
    process.clock.advance(HOUR_MS)
    await wake(next, executionId)
    expect(await output(next, executionId)).toEqual(['after', null].toSpliced(1, 1, {} as never))
  })

  it('a suspended execution that waits is not resumed by an event of a sender who may not resume it', async () => {
    const open = createWorkflow({ id: 'w' }).andWaitForEvent({ ...WAIT, from: 'users' })
    const process = await engines.start([open], {
      mayReceive: async ({ user }, { owner }) => owner === JSON.stringify(user?.id),
    })
    const { executionId } = await process.execute('w', {}, { user: { id: 'ann' } })
    const { executions } = process.engine
    const from = (id: string) =>
      executions.sendEvent({ name: 'payment', data: id }, { sender: { user: { id } } })
    expect((await from('bob')).resumed).toEqual([])
    expect(await process.status(executionId)).toBe('suspended')
    const later = await process.execute('w', {}, { user: { id: 'ann' } })
    expect(later.status).toBe('suspended')
    expect((await from('ann')).resumed).toEqual([executionId, later.executionId].toSorted())
    expect(await output(process, executionId)).toBe('ann')
  })

  it('an event id counts once for each sender: nobody takes the id of an event of another', async () => {
    const process = await engines.start(
      [
        createWorkflow({ id: 'all' }).andForEach({
          id: 'each',
          items: () => [1, 2, 3, 4],
          step: andWaitForEvent({ id: 'one', event: 'payment', from: 'users' }),
        }),
      ],
      { mayReceive: async () => true },
    )
    const { executionId } = await process.execute('all')
    const as = (id: string) => ({ user: { id } })
    // the data, the item that is recorded then, and the sender
    const sent: [string, string, EventSender?][] = [
      ['of bob', 'each[1]', as('bob')],
      ['of bob again', 'each[1]', as('bob')],
      ['of nobody', 'each[2]', {}],
      ['of ann', 'each[3]', as('ann')],
      ['of the webhook', 'each[3]'],
      ['of the webhook again', 'each[3]'],
    ]
    for (const [data, path, sender] of sent) {
      const event = { name: 'payment', id: 'evt_1', data }
      const { eventId, resumed } = await process.engine.executions.sendEvent(event, { sender })
      expect({ eventId, resumed }).toEqual({
        eventId: 'evt_1',
        resumed: data.endsWith('again') ? [] : [executionId],
      })
      await process.recorded(executionId, path, data.startsWith('of the webhook') ? 'completed' : 'suspended')
    }
    expect(await output(process, executionId)).toEqual(['of bob', 'of nobody', 'of ann', 'of the webhook'])
  })

  it('an event is kept for an execution that was suspended by request, until it is resumed', async () => {
    const gate = createDeferred<string>()
    const process = await engines.start([
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andWaitForEvent(WAIT), andThen({ id: 'slow', execute: () => gate.promise })],
      }),
    ])
    const { executionId } = await process.startExecution('w')
    await awaits(process, executionId)
    const suspended = process.engine.executions.suspend({ executionId })
    await until(async () => {
      const row = await process.engine.executions.find({ executionId })
      return row.suspendRequest !== null
    }, 'the request to suspend')
    gate.resolve('done')
    await suspended
    await send(process, { data: 'kept' })
    process.clock.advance(2 * HOUR_MS)
    await process.store.events.prune({ now: process.clock.now(), maxAgeMs: HOUR_MS }, 100)
    await process.resume(executionId)
    expect(await output(process, executionId)).toEqual(['kept', 'done'])
  })

  it('the wait of a cancelled execution ends', async () => {
    const process = await engines.start([waiting])
    const { executionId } = await process.execute('w')
    await process.engine.executions.cancel({ executionId })
    expect((await send(process)).resumed).toEqual([])
    expect(await process.store.events.waiting({ name: 'payment', key: null })).toEqual([])
  })

  it('an event ends a race that a child wins, whichever branch was suspended first', async () => {
    const child = createWorkflow({ id: 'c' }).andWaitForEvent({ id: 'in-child', event: 'refund' })
    const process = await engines.start([
      child,
      createWorkflow({ id: 'w' }).andRace({
        id: 'race',
        steps: [andWaitForEvent(WAIT), suspending('ask'), andWorkflow({ id: 'sub', workflow: child })],
      }),
    ])
    const { executionId } = await process.execute('w')
    await send(process, { name: 'refund', data: 'back' })
    expect(await output(process, executionId)).toBe('back')
  })

  it('an event of a child lets the next item begin, while another item waits', async () => {
    const child = createWorkflow({ id: 'c' }).andWaitForEvent({
      id: 'in-child',
      event: 'payment',
      key: ({ data }) => String((data as { order: string }).order),
    })
    const orders = [{ order: 'x' }, { order: 'y' }, { order: 'z' }]
    const process = await engines.start([
      child,
      createWorkflow({ id: 'w' }, giving('a', orders)).andForEach({
        id: 'each',
        concurrency: 2,
        step: andWorkflow({ id: 'one', workflow: child }),
      }),
    ])
    const { executionId } = await process.execute('w')
    await send(process, { key: 'y', data: 2 })
    await until(async () => (await process.children(executionId)).length === 3, 'the third child')
    await settled(process, executionId, 'suspended')
    await send(process, { key: 'x', data: 1 })
    await send(process, { key: 'z', data: 3 })
    expect(await output(process, executionId)).toEqual([1, 2, 3])
  })

  it('a wait and a sleep in andWhen and andBranch go on after a crash, without another choice', async () => {
    let choices = 0
    const choose = () => ++choices > 0
    const wait = andWaitForEvent(WAIT)
    const process = await engines.start([
      createWorkflow({ id: 'when' }).andWhen({ id: 'if', condition: choose, step: wait }),
      createWorkflow({ id: 'branch' }).andBranch({
        id: 'b',
        branches: [
          { when: () => false, step: giving('never', 0) },
          { when: choose, step: wait },
        ],
      }),
      createWorkflow({ id: 'otherwise' }).andBranch({
        id: 'b',
        branches: [{ when: () => !choose(), step: giving('never', 0) }],
        otherwise: andSleep({ id: 'rest', for: HOUR_MS }),
      }),
    ])
    const ids = []
    for (const id of ['when', 'branch', 'otherwise'])
      ids.push((await process.execute(id, { of: id })).executionId)
    const [when = '', branch = '', otherwise = ''] = ids
    expect(choices).toBe(3)
    await process.crash()
    const next = await engines.next(process)
    expect((await send(next, { data: 'paid' })).resumed).toEqual([when, branch].toSorted())
    expect([await output(next, when), await output(next, branch)]).toEqual(['paid', 'paid'])
    next.clock.advance(HOUR_MS)
    await wake(next, otherwise)
    expect(await output(next, otherwise)).toEqual({ of: 'otherwise' })
    expect(choices).toBe(3)
  })

  it.each([
    ['andDoWhile', (count: number) => count < 3],
    ['andDoUntil', (count: number) => count >= 3],
  ] as const)('each round of %s waits for an event of its own, also after a crash', async (kind, holds) => {
    const step = andWaitForEvent({ ...WAIT, schema: z.number() })
    const condition = ({ data }: { data: number }) => holds(data)
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('zero', 0))[kind]({ id: 'loop', step, condition }),
    ])
    const { executionId } = await process.execute('w')
    const rounds = async (of: EngineProcess) =>
      (await of.detail(executionId)).steps.find(({ stepId }) => stepId === 'loop')?.progress
    await send(process, { id: 'one', data: 1 })
    await process.recorded(executionId, 'loop[1]', 'suspended')
    await settled(process, executionId, 'suspended')
    expect(await rounds(process)).toMatchObject({ done: 1 })
    await process.crash()
    const next = await engines.next(process)
    expect((await send(next, { id: 'one', data: 3 })).resumed).toEqual([])
    for (const data of [2, 3]) await send(next, { data })
    expect(await output(next, executionId)).toBe(3)
  })

  it('items and rounds that wait for events nest in one another', async () => {
    const inner = andForEach({ id: 'inner', items: () => ['p', 'q'], step: andWaitForEvent(WAIT) })
    const child = createWorkflow({ id: 'c' }).andWaitForEvent({ id: 'in-child', event: 'payment' })
    const process = await engines.start([
      child,
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [inner, andWorkflow({ id: 'sub', workflow: child })],
      }),
    ])
    const { executionId } = await process.execute('w')
    await send(process, { data: 1 })
    await settled(process, executionId, 'suspended')
    await send(process, { data: 2 })
    expect(await output(process, executionId)).toEqual([[1, 2], 1])
  })
}
