import { array, assert, constantFrom, integer, property, sample, shuffledSubarray } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Trials, MAX_CRASHES, nextGroup, trialMs } from '../../../../src/engine/run/trials.ts'
import { InFlightCount, afterCrash, judgeCrash } from '../../../../src/store/crash.ts'
import type { ProcessEnd, Suspicion } from '../../../../src/store/crash.ts'

const MAX_HOLD_MS = 5000
const CRASHED: ProcessEnd = { how: 'crashed', settled: true }

/** A step in the simulation. */
interface Task extends Suspicion {
  readonly name: string
  readonly runsMs: number
  /** It ends its process this long after its start; an innocent one never does. */
  readonly crashesMs: number
}

interface Started {
  readonly task: Task
  readonly at: number
  passedAt: number
}

/** One process: what it recovers, and a fresh step every so often, until a culprit ends it. */
function live(tasks: readonly Task[], freshEveryMs: number, lives: number) {
  const started: Started[] = []
  const start = (task: Task, at: number) => started.push({ task, at, passedAt: Infinity })
  let waiting = tasks.filter(({ crashes, suspected }) => crashes + suspected > 0)
  let heldMs = 0
  for (let at = 0, isFirst = true; waiting.length > 0; isFirst = false) {
    const { group, isOnly } = nextGroup(waiting, (task) => task)
    const [first] = group as [Task]
    const ms = trialMs(first)
    if (isFirst && isOnly) heldMs = Math.min(ms, MAX_HOLD_MS)
    for (const task of group) started.push({ task, at, passedAt: at + ms })
    waiting = waiting.filter((task) => !group.includes(task))
    at += Math.min(ms, Math.max(...group.map(({ runsMs }) => runsMs)))
  }
  for (const task of tasks) if (task.crashes + task.suspected === 0) start(task, heldMs)
  if (Number.isFinite(freshEveryMs))
    for (let at = heldMs, n = 0; at < 200_000; at += freshEveryMs)
      start({ name: `fresh ${lives}.${n++}`, runsMs: 200, crashesMs: Infinity, ...NOTHING_KNOWN }, at)
  const crashAt = Math.min(...started.map(({ task, at }) => at + task.crashesMs))
  return { started, crashAt }
}

const NOTHING_KNOWN: Suspicion = { crashes: 0, suspected: 0, trial: null }

/** Lives until none ends by a crash; returns the number of crashes and who was condemned. */
function simulate(tasks: readonly Task[], freshEveryMs: number) {
  const condemned: string[] = []
  let left = [...tasks]
  for (let crashes = 0; ; crashes++) {
    if (crashes > 200) throw new Error('It crashes for ever')
    const { started, crashAt } = live(left, freshEveryMs, crashes)
    if (crashAt === Infinity) return { crashes, condemned }
    const inFlight = started.filter(({ task, at }) => at <= crashAt && at + task.runsMs > crashAt)
    const known = inFlight.map(({ task, passedAt }) => ({
      ...task,
      trial: passedAt <= crashAt ? ('passed' as const) : null,
    }))
    const count = new InFlightCount()
    count.add(known)
    const crash = judgeCrash(CRASHED, count.inFlight)
    const blamed = new Map(known.map((task) => [task.name, { ...task, ...afterCrash(task, crash) }]))
    const begun = new Map(started.map(({ task, at }) => [task.name, at + task.runsMs]))
    // what had ended is gone; fresh ones in flight are recovered
    left = [...left, ...inFlight.map(({ task }) => task).filter((task) => !left.includes(task))]
      .filter(({ name }) => (begun.get(name) ?? Infinity) > crashAt)
      .map((task) => blamed.get(task.name) ?? task)
    condemned.push(...left.filter((task) => task.crashes >= MAX_CRASHES).map(({ name }) => name))
    left = left.filter((task) => task.crashes < MAX_CRASHES)
  }
}

describe('the crash rule', () => {
  const innocent = (runsMs: number, n: number): Task => ({
    name: `innocent ${n}`,
    runsMs,
    crashesMs: Infinity,
    ...NOTHING_KNOWN,
  })
  const culprit = (crashesMs: number, n: number): Task => ({
    name: `culprit ${n}`,
    runsMs: Infinity,
    crashesMs,
    ...NOTHING_KNOWN,
  })
  const innocents = array(constantFrom(5, 200, 15_000, 600_000), { maxLength: 60 }).map((all) =>
    all.map((runsMs, n) => innocent(runsMs, n)),
  )

  it('condemns the culprits and nobody else, within a bounded number of crashes, beside any others and fresh steps', () => {
    const culprits = array(integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 3 }).map((all) =>
      all.map((ms, n) => culprit(ms, n)),
    )
    assert(
      property(innocents, culprits, constantFrom(Infinity, 50, 300, 2000), (others, bad, freshEveryMs) => {
        const tasks = sample(
          shuffledSubarray([...others, ...bad], { minLength: others.length + bad.length }),
          1,
        )
        const { crashes, condemned } = simulate(tasks[0] as Task[], freshEveryMs)
        expect(condemned.toSorted()).toEqual(bad.map(({ name }) => name).toSorted())
        expect(crashes).toBeLessThanOrEqual(
          bad.length * (MAX_CRASHES + 4 + 2 * Math.ceil(Math.log2(tasks[0]!.length + 8))),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('condemns a culprit that crashes late, beside long steps', () => {
    for (const lateMs of [1500, 4000, 15_000])
      for (const count of [0, 1, 3, 20]) {
        const others = Array.from({ length: count }, (_, n) => innocent(600_000, n))
        const { condemned } = simulate([...others, culprit(lateMs, 0)], Infinity)
        expect(condemned).toEqual(['culprit 0'])
      }
  })

  it('condemns nobody for crashes that others cause beside it', () => {
    const long = innocent(15_000, 0)
    const verdict = judgeCrash(CRASHED, { total: 2, untried: 2 })
    let known: Suspicion = long
    for (let crash = 0; crash < 10; crash++)
      known = Object.assign({ trial: null }, afterCrash(known, verdict))
    expect(known.crashes).toBe(0)
  })
})

describe('the trials of suspects', () => {
  const warn = vi.fn<(text: string) => void>()
  beforeEach(() => {
    warn.mockReset()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => void vi.useRealTimers())

  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const order: string[] = []
  beforeEach(() => void (order.length = 0))
  const join = (trials: Trials, name: string, rest: Partial<Suspicion> & { isAgent?: boolean } = {}) => {
    const pass = () => order.push(`${name} passed`)
    const suspect = { id: name, name, isAgent: false, crashes: 0, suspected: 1, ...rest, pass }
    const turn = trials.join(suspect)
    void turn.ready.then(() => order.push(name))
    return turn
  }

  it('are of half of them at a time, and the others follow within seconds', async () => {
    const trials = new Trials({ logger: { warn } })
    for (const name of ['a', 'b', 'c', 'd']) join(trials, name)
    await turns()
    expect(order).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1000)
    await turns()
    expect(order).toEqual(['a', 'b', 'a passed', 'b passed', 'c'])
    await vi.advanceTimersByTimeAsync(1000)
    await turns()
    expect(order).toEqual(['a', 'b', 'a passed', 'b passed', 'c', 'c passed', 'd'])
  })

  it('are over as soon as the suspects have ended', async () => {
    const trials = new Trials({ logger: { warn } })
    const [a] = [join(trials, 'a'), join(trials, 'b')]
    await turns()
    a?.end()
    await turns()
    expect(order).toEqual(['a', 'b'])
  })

  it('are of the only most suspected one while nothing else begins, for at most seconds', async () => {
    const trials = new Trials({ logger: { warn } })
    join(trials, 'most', { suspected: 9 })
    join(trials, 'other')
    await turns()
    expect(order).toEqual(['most'])
    expect(trials.held).toBeDefined()
    await vi.advanceTimersByTimeAsync(7000)
    expect(trials.held).toBeUndefined()
  })

  it('of steps do not wait for the packages of agents; those of agents do', async () => {
    let loaded = () => {}
    const prepareAgents = () => new Promise<void>((resolve) => (loaded = resolve))
    const trials = new Trials({ logger: { warn }, prepareAgents })
    join(trials, 'agent', { isAgent: true })
    join(trials, 'step').end()
    join(trials, 'step').end()
    const step = join(trials, 'step')
    await turns()
    expect(order).toEqual(['step'])
    step.end()
    loaded()
    await turns()
    expect(order).toEqual(['step', 'agent'])
  })

  it('are logged before they begin, with the evidence', async () => {
    const trials = new Trials({ logger: { warn } })
    join(trials, 'step "pay" of execution e1', { crashes: 2 })
    await turns()
    expect(warn.mock.calls).toEqual([
      [
        'Recovering what was running at a crash of the process: step "pay" of execution e1 (crash 2 of 3 with nothing else running)',
      ],
    ])
  })
})
