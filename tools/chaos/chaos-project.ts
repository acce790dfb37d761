/**
 * The project that faults happen to: one workflow for each kind of step that waits, loops, branches, retries or is
 * compensated. Every attempt writes its begin and end to descriptor 3, which the harness adds to the file `notes.log`: a record of what ran that does not depend on
 * the database. The last of them is that of the step `last`.
 */
export const CHAOS_FILES = {
  'agentserver.config.ts': `
    import { writeSync } from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { andAll, andBranch, andDoWhile, andForEach, andRace, andSleep, andThen, andWaitForEvent, andWorkflow, createSchedule, createWorkflow, defineConfig } from 'agentserver'

    const note = (what, { idempotencyKey, attempt }) =>
      writeSync(3, [performance.timeOrigin + performance.now(), what, idempotencyKey, attempt].join(' ') + '\\n')

    const alive = () => writeSync(3, [performance.timeOrigin + performance.now(), 'alive', '-', 0].join(' ') + '\\n')
    globalThis.beats ??= setInterval(alive, 50).unref()

    const during = async (context, result) => {
      note('begin', context)
      await wait(10)
      const value = await result(context)
      note('end', context)
      return value
    }
    /** The options of a step of a few milliseconds that notes its begin and end. */
    const noting = (id, result = ({ data }) => data, options = {}) => ({ ...options, id, execute: (context) => during(context, result) })
    const undo = async (data, context) => during(context, () => wait(30))
    const noted = (id, result) => andThen(noting(id, result))
    const upTo = (count) => () => Array.from({ length: count }, (_, n) => n)
    const double = ({ data }) => data * 2

    const items = createWorkflow({ id: 'items' })
      .andForEach({ id: 'each', items: upTo(20), step: noted('item', double) })
      .andThen(noting('last', ({ data }) => ({ sum: data.reduce((a, b) => a + b, 0) })))
    const parallel = createWorkflow({ id: 'parallel' })
      .andForEach({ id: 'each', items: upTo(20), concurrency: 4, step: noted('item', double) })
      .andThen(noting('last', ({ data }) => ({ sum: data.reduce((a, b) => a + b, 0) })))
    const rounds = createWorkflow({ id: 'rounds' })
      .andDoWhile({ id: 'more', step: noted('round', ({ data }) => ({ n: (data.n ?? 0) + 1 })), condition: ({ data }) => data.n < 15 })
      .andDoUntil({ id: 'until', step: noted('again', ({ data }) => ({ n: data.n + 1 })), condition: ({ data }) => data.n >= 30 })
      .andThen(noting('last'))
    const branches = createWorkflow({ id: 'branches' })
      .andForEach({ id: 'each', items: upTo(9), step: andBranch({
        id: 'which',
        branches: [
          { when: ({ data }) => data % 3 === 0, step: noted('zero', () => 'zero') },
          { when: ({ data }) => data % 3 === 1, step: noted('one', () => 'one') },
        ],
        otherwise: noted('two', () => 'two'),
      }) })
      .andThen(noting('last', ({ data }) => ({ text: data.join(' ') })))
    const naps = createWorkflow({ id: 'naps' })
      .andSleep({ id: 'short', for: 60 })
      .andThen(noting('between'))
      .andSleep({ id: 'long', for: '5500ms' })
      .andThen(noting('last', () => ({ slept: true })))
    const nested = createWorkflow({ id: 'nested' })
      .andAll({ id: 'all', steps: [
        andForEach({ id: 'each', items: upTo(5), step: andAll({ id: 'both', steps: [noted('left', double), andSleep({ id: 'nap', for: 30 })] }) }),
        andRace({ id: 'race', steps: [noted('fast', () => 'fast'), andSleep({ id: 'slow', for: '1h' })] }),
        andDoWhile({ id: 'while', step: noted('step', ({ data }) => ({ n: (data.n ?? 0) + 1 })), condition: ({ data }) => data.n < 4 }),
      ] })
      .andThen(noting('last', () => ({ done: true })))
    const retries = createWorkflow({ id: 'retries' })
      .andThen(noting('last', (context) => {
        if (context.attempt > 1) return { ok: true }
        note('throw', context)
        throw new Error('again')
      }, { retries: { limit: 100, delayMs: 40 } }))
    const parents = createWorkflow({ id: 'parents' })
      .andForEach({ id: 'each', items: upTo(3), step: andWorkflow({ id: 'child', workflow: items, input: () => ({}) }) })
      .andThen(noting('last', ({ data }) => ({ sums: data.map(({ sum }) => sum) })))
    const asks = createWorkflow({ id: 'asks' })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs an answer') })
      .andThen(noting('last'))
    const timeouts = createWorkflow({ id: 'timeouts' })
      .andThen({ id: 'ask', suspendTimeout: '5500ms', execute: ({ timedOut, suspend }) => timedOut ? { timedOut } : suspend() })
      .andThen(noting('last'))
    const waits = createWorkflow({ id: 'waits' })
      .andForEach({ id: 'each', items: upTo(3), step: andWaitForEvent({ id: 'wait', event: 'chaos', key: ({ executionId }) => executionId, onTimeout: 'fail' }) })
      .andThen(noting('last', ({ data }) => ({ received: data.map(({ n }) => n) })))
    const queued = createWorkflow({ id: 'queued', concurrency: 2 }).andThen(noting('last', () => ({ ok: true })))
    const saga = createWorkflow({ id: 'saga' })
      .andThen(noting('last', undefined, { compensate: undo }))
      .andForEach({ id: 'each', items: upTo(3), step: andThen(noting('item', double, { compensate: undo })) })
      .andThen(noting('fail', () => { throw new Error('sold out') }))
    const calls = createWorkflow({ id: 'calls', run: async ({ step }) => {
      const call = (id, result = () => 1, options = {}) => step.run(id, (context) => during(context, result), options)
      let sum = 0
      for (let n = 0; n < 8; n++) sum += await call('call-' + n)
      await step.sleep('nap', 50)
      await Promise.all([call('left'), call('right')])
      await call('last')
      return { sum }
    } })
    const trips = createWorkflow({ id: 'trips', run: async ({ step }) => {
      for (const id of ['last', 'flight', 'hotel']) await step.run(id, (context) => during(context, () => id), { compensate: undo })
      await step.run('car', (context) => during(context, () => { throw new Error('no cars') }))
    } })
    const poison = createWorkflow({ id: 'poison' }).andThen(noting('last', () => process.exit(7)))
    const ticks = createWorkflow({ id: 'ticks' }).andThen(noting('last', () => ({ ok: true })))

    export default defineConfig({
      workflows: [items, parallel, rounds, branches, naps, nested, retries, parents, asks, timeouts, waits, queued, saga, calls, trips, poison, ticks],
      retention: { executions: { count: Number(process.env.KEEP ?? 100_000) } },
      schedules: [createSchedule({ id: 'second', every: '1s', workflow: ticks, input: {}, catchUp: 'all', overlap: 'allow' })],
    })
  `,
  'jump.mjs': `
    const at = performance.now() + Number(process.env.JUMP_AT)
    const { now } = Date
    setTimeout(() => process.stderr.write('the clock jumps\\n'), Math.max(at - performance.now(), 0)).unref()
    Date.now = () => now() + (performance.now() < at ? 0 : Number(process.env.JUMP_BY))
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], self),
    })
  `,
}

/** The beginning of the ids of executions that the schedule starts; their instant follows. */
export const TICK = 'schedule:second:'

/** The limit of the workflow `queued`, by the keys of its steps. */
export const QUEUED = { prefix: 'queued-', limit: 2 }

/** The workflow whose step ends its process. */
export const POISON = 'poison'

/** How each workflow ends. */
interface Expected {
  readonly status: 'completed' | 'error'
  readonly output?: unknown
  readonly compensation?: 'completed'
  /** The name of its error. */
  readonly error?: string
}

const completed = (output: object): Expected => ({ status: 'completed', output })
const COMPENSATED: Expected = { status: 'error', compensation: 'completed' }

export const EXPECTED: Readonly<Record<string, Expected>> = {
  items: completed({ sum: 380 }),
  parallel: completed({ sum: 380 }),
  rounds: completed({ n: 30 }),
  branches: completed({ text: 'zero one two zero one two zero one two' }),
  naps: completed({ slept: true }),
  nested: completed({ done: true }),
  retries: completed({ ok: true }),
  parents: completed({ sums: [380, 380, 380] }),
  asks: completed({ answer: 42 }),
  timeouts: completed({ timedOut: true }),
  waits: completed({ received: [0, 1, 2] }),
  queued: completed({ ok: true }),
  saga: COMPENSATED,
  calls: completed({ sum: 8 }),
  trips: COMPENSATED,
  [POISON]: { status: 'error', error: 'CrashLoopError' },
}

/** The end of the key of the last call of an execution. Of those that are compensated, the first step is undone last. */
export function lastCallOf(executionId: string, workflow: string): string {
  return `${executionId}:last${EXPECTED[workflow] === COMPENSATED ? ':compensate' : ''}`
}
