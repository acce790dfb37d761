import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Engines } from './engine-suite.ts'
import { failing, gated, giving, never, sleep, suspending } from './sample-steps.ts'

interface Following {
  readonly after?: number
  readonly until?: 'result' | 'final'
  readonly signal?: AbortSignal
  readonly pauseMs?: number
  /** Called with the events so far, after each. */
  readonly onEvent?: (seen: readonly string[]) => void
}

/** Follows an execution to the end of the stream, and returns its events as `<sequence> <type>`. */
async function followed(
  process: EngineProcess,
  executionId: string,
  options: Following = {},
): Promise<string[]> {
  const { after = 0, until = 'final', signal = new AbortController().signal, pauseMs = 0, onEvent } = options
  const row = await process.engine.executions.find({ executionId })
  const seen: string[] = []
  for await (const { seq, data } of process.engine.queries.follow(row, { after, until, signal })) {
    seen.push(`${seq} ${(JSON.parse(data) as { type: string }).type}`)
    onEvent?.(seen)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return seen
}

const counting = andThen({
  id: 'counts',
  execute: async ({ emit }) => {
    for (let n = 1; n <= 30; n++) {
      emit(`n${n}`)
      if (n % 3 === 0) await sleep(1)
    }
  },
})
const ALL = [
  '1 workflow-start',
  '2 step-start',
  ...Array.from({ length: 30 }, (_, index) => `${index + 3} custom`),
  '33 step-complete',
  '34 workflow-complete',
  '35 workflow-result',
]

/** Streams of events, lists, memory and retention. */
export function followTests(engines: Engines): void {
  it('a stream of a running execution has each event once, in order, up to the result', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, counting)])
    const { executionId } = await process.startExecution('w')
    const readers = await Promise.all([
      followed(process, executionId),
      followed(process, executionId, { until: 'result' }),
      followed(process, executionId, { pauseMs: 1 }),
      sleep(10).then(() => followed(process, executionId)),
      followed(process, executionId, { after: 20 }),
    ])
    expect(readers).toEqual([ALL, ALL, ALL, ALL, ALL.slice(20)])
  })

  it('a stream of a completed execution starts at any event, also in another process', async () => {
    const first = await engines.start([createWorkflow({ id: 'w' }, counting)])
    const { executionId } = await first.execute('w')
    await first.stop()
    const second = await engines.next(first)
    expect(await followed(second, executionId)).toEqual(ALL)
    expect(await followed(second, executionId, { after: 33 })).toEqual(ALL.slice(33))
    expect(await followed(second, executionId, { after: 35 })).toEqual([])
    expect(await followed(second, executionId, { after: 99 })).toEqual([])
  })

  it('a stream can be longer than what is read at a time', async () => {
    const many = andThen({
      id: 'a',
      execute: ({ emit }) => Array.from({ length: 1000 }, () => emit('x')).length,
    })
    const process = await engines.start([createWorkflow({ id: 'w' }, many)])
    const { executionId } = await process.startExecution('w')
    const seen = await followed(process, executionId)
    expect(seen).toHaveLength(1005)
    expect(seen.map((line) => Number(line.split(' ')[0]))).toEqual(seen.map((_, index) => index + 1))
  })

  it('a stream ends at a suspension, or continues after it', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, suspending('a'))])
    const { executionId } = await process.execute('w')
    const across = followed(process, executionId)
    expect(await followed(process, executionId, { until: 'result' })).toEqual([
      '1 workflow-start',
      '2 step-start',
      '3 workflow-suspended',
      '4 workflow-result',
    ])
    await process.resume(executionId, 1)
    expect((await across).slice(3)).toEqual([
      '4 workflow-result',
      '5 workflow-resumed',
      '6 step-start',
      '7 step-complete',
      '8 workflow-complete',
      '9 workflow-result',
    ])
  })

  it.each(['cancel', 'error'])('a stream ends with the %s of its execution', async (how) => {
    const gate = createDeferred<void>()
    const step = how === 'cancel' ? never('a') : failing('a', () => gate.promise)
    const process = await engines.start([createWorkflow({ id: 'w' }, step)])
    const started = await process.startExecution('w')
    const following = followed(process, started.executionId, {
      onEvent: ({ length }) => length === 2 && gate.resolve(),
    })
    await process.reached(started.executionId, 'a')
    if (how === 'cancel') await process.engine.executions.cancel({ executionId: started.executionId })
    const last =
      how === 'cancel'
        ? ['3 workflow-cancelled', '4 workflow-result']
        : ['3 step-error', '4 workflow-error', '5 workflow-result']
    expect((await following).slice(2)).toEqual(last)
  })

  it('a stream ends when its reader disconnects while it waits for events', async () => {
    const process = await engines.start([createWorkflow({ id: 'w' }, never('a'))])
    const { executionId } = await process.startExecution('w')
    const reader = new AbortController()
    const following = followed(process, executionId, {
      signal: reader.signal,
      onEvent: ({ length }) => length === 2 && setImmediate(() => reader.abort()),
    })
    expect(await following).toEqual(['1 workflow-start', '2 step-start'])
    expect(await followed(process, executionId, { signal: AbortSignal.abort() })).toEqual([])
  })

  it('an execution continues when nobody follows it any more', async () => {
    const { step, open } = gated('a')
    const process = await engines.start([createWorkflow({ id: 'w' }, step, giving('b', 2))])
    const { executionId } = await process.startExecution('w')
    const row = await process.engine.executions.find({ executionId })
    const reader = process.engine.queries.follow(row, {
      after: 0,
      until: 'final',
      signal: new AbortController().signal,
    })
    await reader.next()
    await reader.return(undefined)
    open()
    await expect.poll(() => process.status(executionId)).toBe('completed')
  })

  it('lists are newest first, filtered and in pages', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('a', 1)),
      createWorkflow({ id: 'x' }, suspending('a')),
    ])
    for (const executionId of ['one', 'two', 'three'])
      await process.execute('w', {}, { executionId, userId: 'ann' })
    await process.execute('x', {}, { executionId: 'four', conversationId: 'talk' })
    const { queries } = process.engine
    const listed = async (...[filter, page]: Parameters<typeof queries.list>) =>
      (await queries.list(filter, page)).map(({ id }) => id)
    expect(await listed({}, { limit: 10, offset: 0 })).toEqual(['four', 'three', 'two', 'one'])
    expect(await listed({}, { limit: 2, offset: 1 })).toEqual(['three', 'two'])
    expect(
      await listed({ workflowId: 'w', userId: 'ann', status: 'completed' }, { limit: 2, offset: 0 }),
    ).toEqual(['three', 'two'])
    expect(await listed({ conversationId: 'talk' }, { limit: 2, offset: 0 })).toEqual(['four'])
    expect(await listed({ workflowId: 'no such' }, { limit: 2, offset: 0 })).toEqual([])
    expect(await queries.count({ status: 'suspended' })).toBe(1)
  })

  it('memory has nothing of executions that ended or are suspended', async () => {
    const process = await engines.start([
      createWorkflow({ id: 'w' }, giving('a', 1)),
      createWorkflow({ id: 'asks' }, suspending('a')),
      createWorkflow({ id: 'waits' }, never('a')),
    ])
    await Promise.all(Array.from({ length: 2000 }, () => process.execute('w')))
    await Promise.all(Array.from({ length: 200 }, () => process.execute('asks')))
    expect(process.holds).toBe(0)
    for (const id of ['w', 'asks']) expect(process.engine.running.has(id)).toBe(false)
    const waiting = await process.startExecution('waits')
    expect(process.holds).toBe(1)
    await process.engine.executions.cancel({ executionId: waiting.executionId })
    expect(process.holds).toBe(0)
    expect(await process.engine.queries.count({ status: 'completed' })).toBe(2000)
  })

  it('retention deletes only ended executions that are too old or too many, at the start', async () => {
    const workflows = [
      createWorkflow({ id: 'w' }, giving('a', 1)),
      createWorkflow({ id: 'asks' }, suspending('a')),
    ]
    const first = await engines.start(workflows, { retention: { days: 30, count: 3 } })
    await first.execute('asks', {}, { executionId: 'waits' })
    for (let n = 0; n < 5; n++) await first.execute('w', {}, { executionId: `e${n}` })
    await first.stop()
    const second = await engines.next(first)
    await expect.poll(() => second.engine.queries.count({})).toBe(4)
    const rest = (await second.engine.queries.list({}, { limit: 10, offset: 0 })).map(({ id }) => id)
    expect(rest).toEqual(['e4', 'e3', 'e2', 'waits'])
    await expect
      .poll(() => second.logs.map(({ msg }) => msg))
      .toContain('Retention deleted 2 executions: older than 30 days, or more than 3')
  })

  it('retention deletes nothing by age when the clock is over a day ahead of the newest record', async () => {
    const workflows = [createWorkflow({ id: 'w' }, giving('a', 1))]
    const retention = { days: 0.5, count: 2 }
    const first = await engines.start(workflows, { retention })
    for (let n = 0; n < 3; n++) await first.execute('w')
    await first.stop()
    first.clock.advance(400 * 86_400_000)
    const second = await engines.next(first)
    // what is too much is deleted
    await expect.poll(() => second.engine.queries.count({})).toBe(2)
    await second.stop()
    second.clock.advance(-400 * 86_400_000 + 80_000_000)
    const third = await engines.next(second)
    await expect.poll(() => third.engine.queries.count({})).toBe(0)
  })
}
