import { expect, it } from 'vitest'
import { z } from 'zod'
import { NO_METER } from '../../../src/engine/engine-meter.ts'
import type { EventSender } from '../../../src/engine/events/senders.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { EventToSend } from '../../../src/step/event-to-send.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { EventTrigger } from '../../../src/workflow/event-triggers.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving } from './sample-steps.ts'

const Order = z.object({ orderId: z.string(), cents: z.number() })
type Order = z.infer<typeof Order>
const ORDER: Order = { orderId: 'A-1', cents: 500 }

/** Events that start workflows. */
export function eventStartTests(engines: Engines): void {
  const send = (
    process: EngineProcess,
    event: Partial<EventToSend> = {},
    options: { readonly sender?: EventSender } = {},
  ) =>
    process.engine.executions.sendEvent({ name: 'order.created', data: ORDER, id: 'e1', ...event }, options)
  const startedBy = (on: readonly EventTrigger<Order>[], id = 'order') =>
    createWorkflow({ id, inputSchema: Order, on }, andThen({ id: 'a', execute: ({ data }) => data }))
  const order = startedBy([{ event: 'order.created' }])
  const ended = (process: EngineProcess, id: string) =>
    until(async () => (await process.status(id)) === 'completed', `${id} to complete`)
  const newest = (process: EngineProcess) => process.engine.queries.events({ limit: 9, owner: undefined })

  it('an event starts an execution with its data as the input', async () => {
    const process = await engines.start([order])
    expect(await send(process)).toEqual({
      eventId: 'e1',
      resumed: [],
      started: ['code:order:e1'],
      cancelled: [],
    })
    await ended(process, 'code:order:e1')
    expect(await process.detail('code:order:e1')).toMatchObject({ input: ORDER, output: ORDER })
    expect((await process.events('code:order:e1'))[0]).toMatchObject({ origin: 'event:e1' })
    expect(await newest(process)).toMatchObject([{ id: 'e1', takenBy: ['code:order:e1'] }])
  })

  it('an event starts a workflow that is a function', async () => {
    const flow = createWorkflow({
      id: 'f',
      inputSchema: Order,
      on: [{ event: 'order.created' }],
      run: async ({ input, step }) => step.run('a', () => input.cents * 2),
    })
    const process = await engines.start([flow])
    await send(process)
    await ended(process, 'code:f:e1')
    expect((await process.detail('code:f:e1')).output).toBe(1000)
  })

  it('an event starts each workflow once, however often it is sent', async () => {
    const both = startedBy([{ event: 'order.created' }, { event: 'order.created' }], 'both')
    const process = await engines.start([order, both])
    const sent = await Promise.all([send(process), send(process), send(process)])
    expect(sent.flatMap(({ started }) => started).toSorted()).toEqual(['code:both:e1', 'code:order:e1'])
    expect((await send(process)).started).toEqual([])
    expect(await process.engine.queries.count({})).toBe(2)
  })

  it('only events with the key, and those that the filter chooses, start a workflow', async () => {
    const process = await engines.start([
      startedBy([{ event: 'order.created', key: 'eu' }], 'eu'),
      startedBy([{ event: 'order.created', key: ({ data }) => data.orderId }], 'own'),
      startedBy(
        [{ event: 'order.created', filter: ({ data, key }) => data.cents > 400 && key !== 'x' }],
        'large',
      ),
    ])
    const started = async (event: Partial<EventToSend>) =>
      (await send(process, event)).started.map((id) => id.split(':')[1])
    expect(await started({ id: 'e1' })).toEqual(['large'])
    expect(await started({ id: 'e2', key: 'eu' })).toEqual(['eu', 'large'])
    expect(await started({ id: 'e3', key: 'A-1' })).toEqual(['own', 'large'])
    expect(await started({ id: 'e4', key: 'x', data: { ...ORDER, cents: 1 } })).toEqual([])
    expect(await started({ id: 'e5', name: 'other' })).toEqual([])
    expect(await newest(process)).toSatisfy((events: object[]) =>
      events.every((event) => !('misfits' in event)),
    )
  })

  it('an event whose data does not fit is stored, counted, logged and listed, and starts the others', async () => {
    const counted: string[] = []
    const meter = { ...NO_METER, eventMisfit: (workflowId: string) => counted.push(workflowId) }
    const open = createWorkflow({ id: 'open', on: [{ event: 'order.created' }] }, giving('a', 1))
    const process = await engines.start([order, open], { meter })
    expect((await send(process, { data: { orderId: 7 } })).started).toEqual(['code:open:e1'])
    expect(counted).toEqual(['order'])
    const [event] = await newest(process)
    expect(event?.misfits).toEqual([
      { workflowId: 'order', reason: expect.stringContaining('input.orderId') },
    ])
    expect(process.logs.filter(({ level }) => level === 40)).toEqual([
      expect.objectContaining({
        workflowId: 'order',
        eventId: 'e1',
        msg: expect.stringContaining('input.orderId'),
      }),
    ])
  })

  it.each<[string, EventTrigger<Order>['filter'], string]>([
    ['that throws', () => JSON.parse('{') as boolean, 'JSON'],
    ['without a choice', () => undefined as unknown as boolean, 'filter must be true or false'],
    [
      'that does not end',
      () => {
        for (;;);
      },
      'time limit of 1000 ms',
    ],
  ])('a filter %s starts nothing, and the event is stored', async (_, filter, reason) => {
    const broken = startedBy([{ event: 'order.created', ...(filter && { filter }) }], 'broken')
    const process = await engines.start([broken, order])
    expect((await send(process)).started).toEqual(['code:order:e1'])
    expect((await newest(process))[0]?.misfits).toEqual([
      { workflowId: 'broken', reason: expect.stringContaining(reason) },
    ])
  })

  it('an execution belongs to the user who sent its event, whose ids are their own', async () => {
    const process = await engines.start([order])
    const user = { id: 'ann' }
    const { started } = await send(process, {}, { sender: { user } })
    const other = await send(process, {}, { sender: { user: { id: 'bob' } } })
    const own = await send(process)
    expect(new Set([...started, ...other.started, ...own.started]).size).toBe(3)
    const detail = await process.detail(started[0] ?? '')
    expect(detail).toMatchObject({ ownerId: 'ann', userId: 'ann', startedBy: 'ann' })
    expect(await process.detail(own.started[0] ?? '')).not.toHaveProperty('ownerId')
  })

  it('an event starts no workflow that its sender may not start', async () => {
    const closed = (id: string, by: 'operators' | 'code') =>
      createWorkflow({ id, startedBy: by, on: [{ event: 'go' }] }, giving('a', 1))
    const open = createWorkflow({ id: 'open', on: [{ event: 'go' }] }, giving('a', 1))
    const child = createWorkflow({ id: 'child', on: [{ event: 'go' }] }, giving('a', 1))
    const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'c', workflow: child })
    const mayStart = async ({ user }: EventSender, workflowId: string) =>
      !(user?.id === 'eve' && workflowId === 'open')
    const workflows = [closed('operators', 'operators'), closed('code', 'code'), open, parent]
    const process = await engines.start(workflows, { mayStart })
    const started = async (id: string, sender?: EventSender) => {
      const sent = await send(process, { id, name: 'go', data: {} }, sender && { sender })
      return sent.started.map((executionId) => executionId.split(':')[1])
    }
    expect(await started('e1', { user: { id: 'ann' } })).toEqual(['open'])
    expect(await started('e2', { user: { id: 'eve' } })).toEqual([])
    expect(await started('e3', { by: 'operator' })).toEqual(['operators', 'open'])
    expect(await started('e4')).toEqual(['operators', 'code', 'open', 'child'])
    expect((await newest(process)).find(({ id }) => id === 'e2')?.misfits).toContainEqual({
      workflowId: 'open',
      reason: 'Its sender may not start the workflow',
    })
    expect(process.logs.filter(({ level }) => level >= 40)).toEqual([])
  })

  it('an execution does not wait for the event that has started it, but for the next one', async () => {
    const chain = createWorkflow({ id: 'w', on: [{ event: 'ping' }] }).andWaitForEvent({
      id: 'wait',
      event: 'ping',
    })
    const process = await engines.start([chain])
    const ping = (id: string) => send(process, { name: 'ping', data: { id }, id })
    await ping('e1')
    await until(async () => (await process.status('code:w:e1')) === 'suspended', 'the execution to wait')
    expect(await ping('e2')).toMatchObject({ resumed: ['code:w:e1'], started: ['code:w:e2'] })
    await ended(process, 'code:w:e1')
    expect((await process.detail('code:w:e1')).output).toEqual({ id: 'e2' })
  })

  it('an event that was stored before a crash starts its workflow in the next process', async () => {
    const process = await engines.start([order])
    const { executions } = process.store
    const write = executions.write.bind(executions)
    process.store.executions.write = () => new Promise(() => undefined)
    void send(process).catch(() => undefined)
    await until(async () => (await newest(process)).length === 1, 'the event to be stored')
    await process.crash()
    process.store.executions.write = write
    process.clock.advance(6000)
    const next = await engines.next(process)
    await until(async () => (await next.engine.queries.count({ status: 'completed' })) === 1, 'the start')
    expect((await send(next)).started).toEqual([])
    expect(await next.engine.queries.count({})).toBe(1)
  })

  it('an event waits while too many executions wait, and starts its workflow later', async () => {
    const gate = createDeferred<void>()
    const step = andThen({ id: 'a', execute: () => gate.promise })
    const process = await engines.start(
      [createWorkflow({ id: 'w', concurrency: 1, on: [{ event: 'go' }] }, step)],
      {
        maxQueued: 0,
      },
    )
    const go = (id: string) => send(process, { name: 'go', data: {}, id })
    expect((await go('e1')).started).toEqual(['code:w:e1'])
    expect((await go('e2')).started).toEqual([])
    gate.resolve()
    await ended(process, 'code:w:e1')
    const start = { kind: 'begin', workflowId: 'w', executionId: 'code:w:e2', input: '{}' } as const
    const job = { ...start, event: { id: 'e2', sender: null } }
    await until(async () => (await process.store.server?.run(job, 1)) === 'done', 'the job to be done')
    await ended(process, 'code:w:e2')
    expect(await process.engine.queries.count({})).toBe(2)
  })

  it('an id that something else has taken is an error of the log, and starts nothing', async () => {
    const process = await engines.start([order])
    await process.startExecution('order', ORDER, { executionId: 'code:order:e1', origin: 'code' })
    await send(process)
    expect(process.logs.filter(({ level }) => level >= 50)).toEqual([
      expect.objectContaining({
        executionId: 'code:order:e1',
        msg: expect.stringContaining('something else'),
      }),
    ])
  })
}
