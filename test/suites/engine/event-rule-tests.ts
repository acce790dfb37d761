import { expect, it } from 'vitest'
import { z } from 'zod'
import type { EventSender } from '../../../src/engine/events/senders.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { defineEvent } from '../../../src/step/define-event.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, never, suspending } from './sample-steps.ts'

const Order = z.object({ order: z.string() })
const MINUTE_MS = 60_000

/** Events that cancel executions, and events in quick succession. */
export function eventRuleTests(engines: Engines): void {
  interface Sending {
    readonly id?: string
    readonly key?: string
    readonly data?: unknown
    readonly sender?: EventSender
  }
  const send = (process: EngineProcess, name: string, { sender, ...event }: Sending = {}) =>
    process.engine.executions.sendEvent({ name, ...event }, sender && { sender })
  const cancelOn = [
    { event: 'order.cancelled', key: ({ input }: { input: { order: string } }) => input.order },
  ]
  const asking = createWorkflow({ id: 'asking', inputSchema: Order, cancelOn }, suspending('ask'))
  const ended = (process: EngineProcess, id: string) =>
    until(async () => (await process.status(id)) === 'completed', `${id} to complete`)

  it('an event cancels the executions with its key, running ones and suspended ones, and no others', async () => {
    const aborted: string[] = []
    const running = createWorkflow({ id: 'running', inputSchema: Order, cancelOn }, never('slow', aborted))
    const process = await engines.start([asking, running])
    const a = await process.execute('asking', { order: 'A' })
    const b = await process.execute('asking', { order: 'B' })
    const r = await process.startExecution('running', { order: 'A' })
    const sent = await send(process, 'order.cancelled', { key: 'A', id: 'e1' })
    expect(sent).toMatchObject({ resumed: [], started: [] })
    expect(sent.cancelled.toSorted()).toEqual([a.executionId, r.executionId].toSorted())
    expect(aborted).toHaveLength(1)
    expect(await process.status(b.executionId)).toBe('suspended')
    const { status, events } = await process.detail(a.executionId)
    expect(status).toBe('cancelled')
    expect(JSON.stringify(events)).toContain('Event \\"order.cancelled\\"')
    const [event] = await process.engine.queries.events({ limit: 1, owner: undefined })
    expect(event?.takenBy.toSorted()).toEqual(sent.cancelled.toSorted())
    expect((await send(process, 'order.cancelled', { key: 'A' })).cancelled).toEqual([])
    expect(await process.store.events.waiting({ name: 'order.cancelled', key: 'A' })).toEqual([])
  })

  it('executions of a workflow that is a function are cancelled by an event, also in the next process', async () => {
    const flow = createWorkflow({
      id: 'f',
      cancelOn: [{ event: defineEvent({ name: 'stop', schema: z.null() }) }, { event: 'halt', key: 'now' }],
      run: async ({ step }) => step.suspend('ask'),
    })
    const before = await engines.start([flow])
    const one = await before.execute('f')
    const two = await before.execute('f')
    const three = await before.execute('f')
    await before.resume(three.executionId)
    await before.crash()
    const process = await engines.next(before)
    await process.engine.executions.cancel({ executionId: two.executionId })
    expect((await send(process, 'stop', { data: null })).cancelled).toEqual([one.executionId])
    for (const topic of [
      { name: 'stop', key: null },
      { name: 'halt', key: 'now' },
    ])
      expect(await process.store.events.waiting(topic)).toEqual([])
  })

  it('an event from before an execution does not cancel it, also when it is sent again', async () => {
    const process = await engines.start([asking])
    await send(process, 'order.cancelled', { key: 'A', id: 'e1' })
    process.clock.advance(1000)
    const { executionId } = await process.execute('asking', { order: 'A' })
    expect((await send(process, 'order.cancelled', { key: 'A', id: 'e1' })).cancelled).toEqual([])
    expect(await process.status(executionId)).toBe('suspended')
  })

  it('an event cancels only executions that its sender may cancel', async () => {
    const asked: string[] = []
    const process = await engines.start([asking], {
      mayReceive: async ({ user }, { owner }, effect) => {
        asked.push(effect)
        return owner === JSON.stringify(user?.id)
      },
    })
    const [anns, bobs] = await Promise.all(
      ['ann', 'bob'].map((id) => process.execute('asking', { order: 'A' }, { user: { id } })),
    )
    const sent = await send(process, 'order.cancelled', { key: 'A', sender: { user: { id: 'ann' } } })
    expect(sent.cancelled).toEqual([anns?.executionId])
    expect(await process.detail(anns?.executionId ?? '')).toMatchObject({ cancelledBy: 'ann' })
    expect(await process.status(bobs?.executionId ?? '')).toBe('suspended')
    expect(asked).toEqual(['cancel', 'cancel'])
  })

  it('a key of cancelOn that is no text refuses the start', async () => {
    const broken = createWorkflow(
      { id: 'w', cancelOn: [{ event: 'x', key: () => 7 as unknown as string }] },
      giving('a', 1),
    )
    const process = await engines.start([broken])
    await expect(process.startExecution('w')).rejects.toThrow('cancelOn[0].key did not return a string')
    expect(process.holds).toBe(0)
  })

  it('the last event of a quiet period starts one execution, also after a crash', async () => {
    const runs: unknown[] = []
    const save = createWorkflow(
      { id: 'save', on: [{ event: 'edited' }], debounce: { per: '1m' } },
      andThen({ id: 'a', execute: ({ data }) => runs.push(data) }),
    )
    const before = await engines.start([save])
    for (const n of [1, 2, 3]) {
      before.clock.advance(MINUTE_MS / 2)
      expect((await send(before, 'edited', { data: { n }, id: `e${n}` })).started).toEqual([])
    }
    await before.crash()
    before.clock.advance(MINUTE_MS)
    const process = await engines.next(before)
    await due(process, 'save', 'e3', { n: 3 })
    await ended(process, 'code:save:e3')
    expect(runs).toEqual([{ n: 3 }])
    expect(await process.engine.queries.count({})).toBe(1)
  })

  it('events with different keys, and of different users, have quiet periods of their own', async () => {
    const save = createWorkflow(
      {
        id: 'save',
        inputSchema: z.object({ doc: z.string() }),
        on: [{ event: 'edited' }],
        debounce: { per: '1m', key: ({ input }) => input.doc },
      },
      andThen({ id: 'a', execute: ({ data }) => data }),
    )
    const process = await engines.start([save])
    const stored: string[] = []
    const { events } = process.store
    const insert = events.insert.bind(events)
    process.store.events.insert = (event, jobs) => {
      stored.push(...jobs.flatMap(({ key }) => (key.startsWith('debounce') ? key : [])))
      return insert(event, jobs)
    }
    const edit = (doc: string, user?: string) =>
      send(process, 'edited', {
        data: { doc },
        ...(user !== undefined && { sender: { user: { id: user } } }),
      })
    for (const [doc, user] of [['x'], ['x'], ['y'], ['x', 'ann'], ['x', 'bob'], ['x', 'ann']] as const)
      await edit(doc, user)
    expect(stored.map((key) => stored.indexOf(key))).toEqual([0, 0, 2, 3, 4, 3])
  })

  it('keys of limits, and the priority, see the user and the context of an execution', async () => {
    const seen: unknown[] = []
    const limited = createWorkflow(
      {
        id: 'w',
        concurrency: {
          limit: 1,
          key: ({ userId = 'nobody', context }) => `${userId} ${String(context['tenant'])}`,
        },
        priority: (execution) => {
          seen.push(execution)
          return 1
        },
      },
      suspending('ask'),
    )
    const process = await engines.start([limited])
    await process.execute('w', { n: 1 }, { userId: 'ann', context: { tenant: 't' } })
    expect(seen).toEqual([{ input: { n: 1 }, userId: 'ann', context: { tenant: 't' } }])
  })

  /** Does the job of a debounced event, which is due. */
  async function due(process: EngineProcess, workflowId: string, id: string, input: unknown): Promise<void> {
    const executionId = `code:${workflowId}:${id}`
    const job = { kind: 'begin', workflowId, executionId, input: JSON.stringify(input) } as const
    await process.store.server?.run({ ...job, event: { id, sender: null } }, 1)
  }
}
