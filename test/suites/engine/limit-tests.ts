import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { toIso } from '../../../src/lib/clock.ts'
import { createSchedule } from '../../../src/workflow/schedule/create-schedule.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import { until } from '../../support/until.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { giving, suspending } from './sample-steps.ts'

/** A step of which the test ends each run, in the order in which they began. */
function held() {
  const begun: string[] = []
  const gates = new Map<string, ReturnType<typeof createDeferred<void>>>()
  let most = 0
  const step = andThen({
    id: 'hold',
    execute: async ({ executionId }) => {
      const gate = createDeferred<void>()
      gates.set(executionId, gate)
      begun.push(executionId)
      most = Math.max(most, gates.size)
      await gate.promise
      gates.delete(executionId)
      return executionId
    },
  })
  return {
    step,
    begun,
    get most() {
      return most
    },
    end: (id: string) => gates.get(id)?.resolve(),
    began: (id: string) => until(() => begun.includes(id), `${id} to begin`),
  }
}

const start = (process: EngineProcess, id: string, input: unknown = {}) =>
  process.startExecution('w', input, { executionId: id })

const waitingOf = async (process: EngineProcess, executionId: string) => {
  const { engine } = process
  const { waiting } = await engine.queries.state(await engine.executions.find({ executionId }))
  return waiting && `${waiting.reason} ${waiting.position}`
}

/** Runs of workflows with `concurrency`, `rateLimit` and `priority`. */
export function limitTests(engines: Engines): void {
  describe('concurrency', () => {
    it('executions above the limit wait in order, and start when one ends', async () => {
      const { step, begun, end, began } = held()
      const process = await engines.start([createWorkflow({ id: 'w', concurrency: 1 }, step)])
      const started = [await start(process, 'a'), await start(process, 'b'), await start(process, 'c')]
      await began('a')
      expect(await Promise.all(['a', 'b', 'c'].map((id) => waitingOf(process, id)))).toEqual([
        undefined,
        'concurrency 1',
        'concurrency 2',
      ])
      expect(await process.status('b')).toBe('running')
      end('a')
      await began('b')
      expect(await waitingOf(process, 'c')).toBe('concurrency 1')
      end('b')
      await began('c')
      end('c')
      const results = await Promise.all(started.map(({ result }) => result()))
      expect(results.map(({ status, result }) => `${status} ${String(result)}`)).toEqual([
        'completed a',
        'completed b',
        'completed c',
      ])
      expect(begun).toEqual(['a', 'b', 'c'])
      expect(await process.story('b')).toEqual([
        'workflow-start',
        'workflow-queued',
        'step-start hold',
        'step-complete hold',
        'workflow-complete',
        'workflow-result',
      ])
    })

    it('a limit with a key counts the executions of each key', async () => {
      const { step, began, end } = held()
      const key = ({ input }: { input: { customer: string } }) => input.customer
      const workflow = createWorkflow({ id: 'w', concurrency: { limit: 1, key: key as never } }, step)
      const process = await engines.start([workflow])
      await start(process, 'a1', { customer: 'a' })
      await start(process, 'a2', { customer: 'a' })
      await start(process, 'b1', { customer: 'b' })
      await Promise.all([began('a1'), began('b1')])
      expect(await waitingOf(process, 'a2')).toBe('concurrency 1')
      expect(await process.engine.queries.queues()).toMatchObject([
        {
          workflowId: 'w',
          concurrency: 1,
          rateLimit: null,
          running: 2,
          waiting: 1,
          queued: [{ executionId: 'a2', key: 'a', reason: 'concurrency', position: 1 }],
        },
      ])
      end('b1')
      end('a1')
      await began('a2')
      end('a2')
    })

    it('those with a higher priority start first, then the older ones', async () => {
      const { step, begun, began, end } = held()
      const priority = ({ input }: { input: unknown }) => (input as { p: number }).p
      const process = await engines.start([createWorkflow({ id: 'w', concurrency: 1, priority }, step)])
      for (const [id, p] of Object.entries({ a: 0, b: 1, c: 5, d: 1, e: -1 })) await start(process, id, { p })
      for (const id of ['a', 'c', 'b', 'd', 'e']) {
        await began(id)
        end(id)
      }
      expect(begun).toEqual(['a', 'c', 'b', 'd', 'e'])
    })

    it('a suspended execution keeps no slot, and takes one again when it continues', async () => {
      const { step, began, end } = held()
      const process = await engines.start([
        createWorkflow({ id: 'w', concurrency: 1 }, suspending('ask'), step),
      ])
      const first = await start(process, 'a')
      expect((await first.result()).status).toBe('suspended')
      await (await start(process, 'b')).result()
      void process.resume('a', 1)
      await began('a')
      const resumed = process.resume('b', 2)
      await until(async () => (await waitingOf(process, 'b')) === 'concurrency 1', 'b to wait')
      end('a')
      await began('b')
      end('b')
      expect((await resumed).status).toBe('completed')
    })

    it('one that waits can be cancelled, and the next moves up', async () => {
      const { step, began, begun, end } = held()
      const process = await engines.start([createWorkflow({ id: 'w', concurrency: 1 }, step)])
      for (const id of ['a', 'b', 'c']) await start(process, id)
      await process.engine.executions.cancel({ executionId: 'b' })
      expect(await process.status('b')).toBe('cancelled')
      expect(await waitingOf(process, 'c')).toBe('concurrency 1')
      await began('a')
      await process.engine.executions.cancel({ executionId: 'a' })
      await began('c')
      end('c')
      expect(begun).toEqual(['a', 'c'])
    })

    it('a crash loses no slot and no execution that waits', async () => {
      const { step, began, begun, end } = held()
      const workflows = [createWorkflow({ id: 'w', concurrency: 2 }, step)]
      const process = await engines.start(workflows)
      for (const id of ['a', 'b', 'c', 'd']) await start(process, id)
      await Promise.all([began('a'), began('b')])
      await process.crash()
      begun.length = 0
      const next = await engines.next(process)
      await Promise.all([began('a'), began('b')])
      expect(begun).toHaveLength(2)
      expect(await waitingOf(next, 'd')).toBe('concurrency 2')
      end('a')
      await began('c')
      end('b')
      await began('d')
      end('c')
      end('d')
      await until(async () => (await next.status('d')) === 'completed', 'd to end')
    })

    it('a reload with other limits applies them to those that wait', async () => {
      const { step, began, begun } = held()
      const limited = (concurrency?: number): WorkflowDefinition[] => [
        createWorkflow({ id: 'w', ...(concurrency && { concurrency }) }, step),
      ]
      const process = await engines.start(limited(1))
      for (const id of ['a', 'b', 'c', 'd']) await start(process, id)
      await began('a')
      process.reload(limited(2))
      await process.engine.recover()
      await began('b')
      expect(begun).toEqual(['a', 'b'])
      process.reload(limited())
      await process.engine.recover()
      // both begin at once, in any order
      await began('c')
      await began('d')
      expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    })

    it('two hundred executions at once never exceed the limit', async () => {
      let running = 0
      let most = 0
      const step = andThen({
        id: 's',
        execute: async () => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setImmediate(resolve))
          running--
          return 1
        },
      })
      const process = await engines.start([createWorkflow({ id: 'w', concurrency: 3 }, step, giving('t', 1))])
      const started = await Promise.all(Array.from({ length: 200 }, () => process.startExecution('w')))
      const results = await Promise.all(started.map(({ result }) => result()))
      expect(results.every(({ status }) => status === 'completed')).toBe(true)
      expect(most).toBeLessThanOrEqual(3)
    })
  })

  describe('rate', () => {
    it('no window has more starts than the limit', async () => {
      const { step, began, begun } = held()
      const process = await engines.start([
        createWorkflow({ id: 'w', rateLimit: { limit: 2, per: '1m' } }, step),
      ])
      for (const id of ['a', 'b', 'c', 'd', 'e']) await start(process, id)
      await began('b')
      expect(await waitingOf(process, 'e')).toBe('rate 3')
      expect(begun.toSorted()).toEqual(['a', 'b'])
      process.clock.advance(60_000)
      await process.store.dispatcher.change({
        add: [{ key: 'now', job: { kind: 'admit', workflowId: 'w' } }],
      })
      // both begin at once, in any order
      await began('c')
      await began('d')
      expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    })

    it('a start that has waited counts from when it begins', async () => {
      const { step, began, begun } = held()
      const process = await engines.start([
        createWorkflow({ id: 'w', rateLimit: { limit: 1, per: '1m' } }, step),
      ])
      for (const id of ['a', 'b', 'c']) await start(process, id)
      await began('a')
      const admit = () =>
        process.store.dispatcher.change({ add: [{ key: 'now', job: { kind: 'admit', workflowId: 'w' } }] })
      // the place is given at the first minute, and the execution begins twenty seconds later
      const minute = process.clock.now() + 60_000
      process.clock.advance(80_000)
      await process.store.queue.admit('w', minute)
      await began('b')
      process.clock.advance(45_000)
      await admit()
      await start(process, 'd')
      expect(await waitingOf(process, 'c')).toBe('rate 1')
      expect(begun).toEqual(['a', 'b'])
      process.clock.advance(15_000)
      await admit()
      await began('c')
    })

    it('each key has its own limit and positions', async () => {
      const { step, began, begun } = held()
      const key = (({ input }: { input: { user: string } }) => input.user) as never
      const process = await engines.start([
        createWorkflow({ id: 'w', rateLimit: { limit: 1, per: '1m', key } }, step),
      ])
      for (const id of ['a1', 'b1', 'a2', 'b2', 'a3', 'c1']) await start(process, id, { user: id[0] })
      await began('c1')
      expect(begun.toSorted()).toEqual(['a1', 'b1', 'c1'])
      const waiting = await Promise.all(['a2', 'b2', 'a3'].map((id) => waitingOf(process, id)))
      expect(waiting).toEqual(['rate 1', 'rate 1', 'rate 2'])
    })

    it('a suspended execution does not start again when it is resumed', async () => {
      const { step, began, end } = held()
      const process = await engines.start([
        createWorkflow({ id: 'w', rateLimit: { limit: 1, per: '1m' } }, suspending('ask'), step),
      ])
      await (await start(process, 'a')).result()
      await start(process, 'b')
      const resumed = process.resume('a', 1)
      await began('a')
      expect(await waitingOf(process, 'b')).toBe('rate 1')
      end('a')
      await resumed
    })
  })

  it('a key that is no string fails the start, and nothing is stored', async () => {
    const key = () => 7 as unknown as string
    const process = await engines.start([
      createWorkflow({ id: 'w', concurrency: { limit: 1, key } }, giving('a', 1)),
    ])
    await expect(process.startExecution('w')).rejects.toThrow('concurrency.key returned 7, not a string')
    expect(await process.engine.queries.count({})).toBe(0)
  })

  it('more waiting executions than allowed are refused, also when all start at once', async () => {
    const { step, began } = held()
    const workflows = [
      createWorkflow({ id: 'w', concurrency: 2 }, step),
      createWorkflow({ id: 'free', concurrency: 1 }, step),
    ]
    const process = await engines.start(workflows, { maxQueued: 3 })
    const ids = Array.from({ length: 10 }, (_, index) => `e${index}`)
    const started = await Promise.allSettled(ids.map((id) => start(process, id)))
    const refused = started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    expect(refused).toHaveLength(5)
    expect(refused[0]).toMatchObject({ code: 'too_many_requests', headers: { 'Retry-After': '10' } })
    expect(await process.engine.queries.count({})).toBe(5)
    // one that need not wait is not refused
    await process.startExecution('free', {}, { executionId: 'f' })
    await began('f')
  })

  it('an execution of a schedule waits as others do, and is left out when it has no valid key', async () => {
    const { step, began, end } = held()
    const key = ({ input }: { input: { customer: string } }) => input.customer
    const workflow = createWorkflow({ id: 'w', concurrency: { limit: 1, key: key as never } }, step)
    const schedules = [
      createSchedule({ id: 's', every: '1h', workflow, input: { customer: 'a' } }),
      createSchedule({ id: 'none', every: '1h', workflow, input: {} }),
    ]
    const process = await engines.start([workflow], { schedules })
    await start(process, 'first', { customer: 'a' })
    await began('first')
    const tick = async (schedule: string) => {
      const { nextAt } = (await process.store.schedules.get(schedule)) ?? {}
      if (typeof nextAt !== 'number') throw new Error('There is no next instant')
      process.clock.advance(nextAt - process.clock.now())
      const job = { kind: 'tick', schedule, at: nextAt } as const
      await process.store.dispatcher.change({ add: [{ key: `now:${schedule}:${nextAt}`, job }] })
      const isDone = async () => (await process.store.schedules.get(schedule))?.nextAt !== nextAt
      await until(isDone, `the tick of ${schedule}`)
      return `schedule:${schedule}:${toIso(nextAt)}`
    }
    const scheduled = await tick('s')
    expect(await waitingOf(process, scheduled)).toBe('concurrency 1')
    // the one before still waits: skipped
    await tick('s')
    await tick('none')
    expect(process.logs.some(({ msg }) => msg.includes('has no valid input; it is left out'))).toBe(true)
    expect(await process.engine.queries.count({})).toBe(2)
    end('first')
    await began(scheduled)
    end(scheduled)
  })

  it('an execution keeps the priority of its start when it is resumed', async () => {
    const { step, began, begun, end } = held()
    const process = await engines.start([
      createWorkflow(
        { id: 'w', concurrency: 1 },
        andWhen({ id: 'if', condition: ({ data }) => 'asks' in (data as object), step: suspending('ask') }),
        step,
      ),
    ])
    for (const [executionId, priority] of [
      ['a', 0],
      ['b', 9],
    ] as const)
      await (await process.startExecution('w', { asks: true }, { executionId, priority })).result()
    await start(process, 'first')
    await began('first')
    const resumed = [process.resume('a', 1), process.resume('b', 1)]
    await until(async () => (await waitingOf(process, 'a')) === 'concurrency 2', 'both to wait')
    end('first')
    for (const id of ['b', 'a']) {
      await began(id)
      end(id)
    }
    await Promise.all(resumed)
    expect(begun).toEqual(['first', 'b', 'a'])
  })
}
