/**
 * The project that is killed: one workflow for each kind of step that waits, loops, branches or retries. Every attempt
 * notes its begin and end in the file `notes.log`: a record of what ran that does not depend on the database.
 */
export const CHAOS_FILES = {
  'agentserver.config.ts': `
    import { appendFileSync } from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { andAll, andBranch, andDoWhile, andForEach, andRace, andSleep, andThen, andWaitForEvent, andWorkflow, createSchedule, createWorkflow, defineConfig } from 'agentserver'

    const note = (what, { idempotencyKey, attempt }) =>
      appendFileSync('notes.log', [performance.timeOrigin + performance.now(), what, idempotencyKey, attempt].join(' ') + '\\n')

    const alive = () => appendFileSync('notes.log', [performance.timeOrigin + performance.now(), 'alive', '-', 0].join(' ') + '\\n')
    globalThis.beats ??= setInterval(alive, 50).unref()

    /** The options of a step of a few milliseconds that notes its begin and end. */
    const noting = (id, result = ({ data }) => data, options = {}) => ({ ...options, id, execute: async (context) => {
      note('begin', context)
      await wait(10)
      const value = await result(context)
      note('end', context)
      return value
    } })
    const noted = (id, result) => andThen(noting(id, result))
    const upTo = (count) => () => Array.from({ length: count }, (_, n) => n)
    const double = ({ data }) => data * 2

    const items = createWorkflow({ id: 'items' })
      .andForEach({ id: 'each', items: upTo(20), step: noted('item', double) })
      .andThen({ id: 'sum', execute: ({ data }) => ({ sum: data.reduce((a, b) => a + b, 0) }) })
    const parallel = createWorkflow({ id: 'parallel' })
      .andForEach({ id: 'each', items: upTo(20), concurrency: 4, step: noted('item', double) })
      .andThen({ id: 'sum', execute: ({ data }) => ({ sum: data.reduce((a, b) => a + b, 0) }) })
    const rounds = createWorkflow({ id: 'rounds' })
      .andDoWhile({ id: 'more', step: noted('round', ({ data }) => ({ n: (data.n ?? 0) + 1 })), condition: ({ data }) => data.n < 15 })
      .andDoUntil({ id: 'until', step: noted('again', ({ data }) => ({ n: data.n + 1 })), condition: ({ data }) => data.n >= 30 })
    const branches = createWorkflow({ id: 'branches' })
      .andForEach({ id: 'each', items: upTo(9), step: andBranch({
        id: 'which',
        branches: [
          { when: ({ data }) => data % 3 === 0, step: noted('zero', () => 'zero') },
          { when: ({ data }) => data % 3 === 1, step: noted('one', () => 'one') },
        ],
        otherwise: noted('two', () => 'two'),
      }) })
      .andThen({ id: 'join', execute: ({ data }) => ({ text: data.join(' ') }) })
    const naps = createWorkflow({ id: 'naps' })
      .andSleep({ id: 'short', for: 60 })
      .andThen(noting('between'))
      .andSleep({ id: 'long', for: '5500ms' })
      .andThen(noting('after', () => ({ slept: true })))
    const nested = createWorkflow({ id: 'nested' })
      .andAll({ id: 'all', steps: [
        andForEach({ id: 'each', items: upTo(5), step: andAll({ id: 'both', steps: [noted('left', double), andSleep({ id: 'nap', for: 30 })] }) }),
        andRace({ id: 'race', steps: [noted('fast', () => 'fast'), andSleep({ id: 'slow', for: '1h' })] }),
        andDoWhile({ id: 'while', step: noted('step', ({ data }) => ({ n: (data.n ?? 0) + 1 })), condition: ({ data }) => data.n < 4 }),
      ] })
      .andThen({ id: 'done', execute: () => ({ done: true }) })
    const retries = createWorkflow({ id: 'retries' })
      .andThen(noting('flaky', (context) => {
        if (context.attempt > 1) return { ok: true }
        note('throw', context)
        throw new Error('again')
      }, { retries: { limit: 100, delayMs: 40 } }))
    const parents = createWorkflow({ id: 'parents' })
      .andForEach({ id: 'each', items: upTo(3), step: andWorkflow({ id: 'child', workflow: items, input: () => ({}) }) })
      .andThen({ id: 'done', execute: ({ data }) => ({ sums: data.map(({ sum }) => sum) }) })
    const asks = createWorkflow({ id: 'asks' })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs an answer') })
      .andThen(noting('use'))
    const timeouts = createWorkflow({ id: 'timeouts' })
      .andThen({ id: 'ask', suspendTimeout: '5500ms', execute: ({ timedOut, suspend }) => timedOut ? { timedOut } : suspend() })
      .andThen(noting('use'))
    const waits = createWorkflow({ id: 'waits' })
      .andForEach({ id: 'each', items: upTo(3), step: andWaitForEvent({ id: 'wait', event: 'chaos', key: ({ executionId }) => executionId, onTimeout: 'fail' }) })
      .andThen(noting('use', ({ data }) => ({ received: data.map(({ n }) => n) })))
    const queued = createWorkflow({ id: 'queued', concurrency: 2 }).andThen(noting('work', () => ({ ok: true })))
    const ticks = createWorkflow({ id: 'ticks' }).andThen(noting('tick', () => ({ ok: true })))

    export default defineConfig({
      workflows: [items, parallel, rounds, branches, naps, nested, retries, parents, asks, timeouts, waits, queued, ticks],
      schedules: [createSchedule({ id: 'second', every: '1s', workflow: ticks, input: {}, catchUp: 'all', overlap: 'allow' })],
    })
  `,
}

/** The limit of the workflow `queued`, by the keys of its steps. */
export const QUEUED = { prefix: 'queued-', limit: 2 }

/** The output that each workflow ends with. */
export const EXPECTED_OUTPUTS: Readonly<Record<string, unknown>> = {
  items: { sum: 380 },
  parallel: { sum: 380 },
  rounds: { n: 30 },
  branches: { text: 'zero one two zero one two zero one two' },
  naps: { slept: true },
  nested: { done: true },
  retries: { ok: true },
  parents: { sums: [380, 380, 380] },
  asks: { answer: 42 },
  timeouts: { timedOut: true },
  waits: { received: [0, 1, 2] },
  queued: { ok: true },
}
