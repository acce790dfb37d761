import { expect, it } from 'vitest'
import { ENDING, MODES, Plan, drawPlan, roundsOn, textOf } from './plan.ts'

const kinds = ({ rounds }: Pick<Plan, 'rounds'>) =>
  new Set(rounds.flatMap(({ faults }) => faults.map(({ kind }) => kind)))

it.each(MODES)(
  'drawPlan draws the same plan from the same seed, and another one from another seed: %s',
  (mode) => {
    expect(drawPlan(7, 20, mode)).toEqual(drawPlan(7, 20, mode))
    expect(drawPlan(7, 20, mode).rounds).not.toEqual(drawPlan(8, 20, mode).rounds)
  },
)

it('drawPlan begins a longer plan with the rounds of a shorter one', () => {
  expect(drawPlan(7, 20, 'mixed').rounds.slice(0, 5)).toEqual(drawPlan(7, 5, 'mixed').rounds)
})

it.each(MODES)('a plan of mode %s is the same after it was kept as JSON', (mode) => {
  const plan = drawPlan(7, 20, mode)
  expect(Plan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan)
})

it('a harsh plan has every fault, a mixed one those of the process, streams and retention; the others have kills only', () => {
  const mixed = drawPlan(7, 40, 'mixed')
  expect(kinds(mixed)).toEqual(new Set(['kill', 'terminate', 'pause', 'reload']))
  const harsh = drawPlan(7, 200, 'harsh')
  expect([...kinds(harsh)].toSorted()).toEqual([
    'backup',
    'cut',
    'files',
    'full',
    'jump',
    'kill',
    'missing',
    'pause',
    'poison',
    'reload',
    'replaced',
    'restart',
    'terminate',
  ])
  expect(harsh.rounds.some(({ restoreKilledAfterMs }) => restoreKilledAfterMs !== undefined)).toBe(true)
  expect(mixed.rounds.some(({ streams }) => streams.length > 0)).toBe(true)
  expect(mixed.rounds.some(({ keep }) => keep !== undefined)).toBe(true)
  expect(kinds(drawPlan(7, 40, 'kills'))).toEqual(new Set(['kill']))
  expect(kinds(drawPlan(7, 40, 'agents'))).toEqual(new Set(['kill']))
})

it.each(MODES)(
  'every round of mode %s ends with a fault that ends the process, and with no other one',
  (mode) => {
    for (const { faults } of drawPlan(7, 40, mode).rounds) {
      const ends = faults.map(({ kind }) => ENDING.has(kind))
      expect(ends.indexOf(true)).toBe(faults.length - 1)
    }
  },
)

it('a harsh plan has outages that last long enough to be noticed', () => {
  const lasting = drawPlan(7, 200, 'harsh').rounds.flatMap(({ faults }) => {
    const end = faults.at(-1)?.at ?? 0
    return faults.filter((fault) => 'forMs' in fault && fault.forMs > 1500 && fault.at + 1500 < end)
  })
  const kindsOf = lasting.map(({ kind }) => kind)
  for (const kind of ['missing', 'replaced', 'full', 'files', 'cut']) expect(kindsOf).toContain(kind)
})

it('roundsOn leaves out the faults of the other store, and no round', () => {
  const { rounds } = drawPlan(3, 200, 'harsh')
  const on = (postgres: boolean) => [...kinds({ rounds: roundsOn(rounds, postgres) })]
  const all = [...kinds({ rounds })]
  expect(all.filter((kind) => !on(true).includes(kind)).toSorted()).toEqual([
    'backup',
    'full',
    'missing',
    'replaced',
  ])
  expect(all.filter((kind) => !on(false).includes(kind)).toSorted()).toEqual(['cut', 'restart'])
  expect(roundsOn(rounds, true).every(({ faults }) => faults.length > 0)).toBe(true)
})

it('a plan without a round, or with a fault that does not exist, is refused', () => {
  const plan = drawPlan(7, 1, 'kills')
  expect(Plan.safeParse({ ...plan, rounds: [] }).success).toBe(false)
  const rounds = plan.rounds.map((round) => ({ ...round, faults: [{ kind: 'fire', at: 1 }] }))
  expect(Plan.safeParse({ ...plan, rounds }).success).toBe(false)
})

it('textOf has a line for each round, which says what happens when', () => {
  const text = textOf({
    seed: 1,
    mode: 'mixed',
    rounds: [
      { since: 'start', faults: [{ kind: 'kill', at: 30 }], starts: ['items'], streams: [] },
      {
        since: 'acknowledgement',
        faults: [
          { kind: 'reload', at: 10, times: 3, everyMs: 50 },
          { kind: 'pause', at: 40, forMs: 900 },
          { kind: 'terminate', at: 800, graceMs: 200 },
        ],
        starts: ['items', 'naps'],
        streams: ['naps'],
        keep: 60,
      },
    ],
  })
  expect(text).toBe(
    'round 0: killed at 30 ms after its start\n' +
      'round 1: reloaded 3 times from 10 ms on, every 50 ms, paused at 40 ms for 900 ms, terminated at 800 ms and killed 200 ms later after its first acknowledgement; streams naps; keeps 60 ended executions\n',
  )
})

it('a plan of machines ends each of them in some round, and pauses others for longer than they may be silent', () => {
  const plans = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => drawPlan(seed, 40, 'machines'))
  expect(new Set(plans.map(({ machines }) => machines))).toEqual(new Set([2, 3]))
  for (const { machines = 1, rounds } of plans) {
    const all = Array.from({ length: machines }, (_, number) => number)
    expect(new Set(rounds.map(({ machine = 0 }) => machine))).toEqual(new Set(all))
    const paused = rounds.flatMap(({ machine, faults }) =>
      faults.flatMap((fault) => (fault.kind === 'pause' && fault.machine !== machine ? fault : [])),
    )
    expect(paused.some(({ machine, forMs }) => machine !== undefined && forMs > 3500)).toBe(true)
  }
})
