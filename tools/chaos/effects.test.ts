import { expect, it } from 'vitest'
import { effectsOf, effectsText } from './effects.ts'
import type { Fault, Plan } from './plan.ts'

const plan = (...faults: readonly Fault[]): Plan => ({
  seed: 1,
  mode: 'harsh',
  rounds: [{ since: 'acknowledgement', faults, starts: [], streams: [], restoreKilledAfterMs: 10 }],
})

const FAULTS: readonly Fault[] = [
  { kind: 'missing', at: 1, forMs: 1 },
  { kind: 'missing', at: 3, forMs: 1 },
  { kind: 'replaced', at: 5, forMs: 1, by: 'empty' },
  { kind: 'cut', at: 1, forMs: 1 },
  { kind: 'pause', at: 1, forMs: 1 },
  { kind: 'kill', at: 9 },
]

it('effectsOf counts what was noticed and what the log shows, of the faults that can happen to the store', () => {
  const noticed = ['kill', 'pause'] as const
  const log =
    'The database cannot be used: data.db was deleted\nThe database cannot be used: read ECONNRESET\n'
  expect(effectsOf(plan(...FAULTS), { noticed, log, postgres: false })).toEqual([
    { kind: 'kill', planned: 1, happened: 1 },
    { kind: 'missing', planned: 2, happened: 1 },
    { kind: 'pause', planned: 1, happened: 1 },
    { kind: 'replaced', planned: 1, happened: 0 },
    { kind: 'restore', planned: 1, happened: 0 },
  ])
  expect(effectsOf(plan(...FAULTS), { noticed: [], log, postgres: true })).toEqual([
    { kind: 'cut', planned: 1, happened: 1 },
    { kind: 'kill', planned: 1, happened: 0 },
    { kind: 'pause', planned: 1, happened: 0 },
  ])
})

it('effectsText says which faults never took effect', () => {
  const kill = { kind: 'kill', planned: 2, happened: 2 } as const
  expect(effectsText([kill])).toBe('faults that took effect: kill 2 of 2\n')
  expect(effectsText([kill, { kind: 'full', planned: 3, happened: 0 }])).toBe(
    'faults that took effect: kill 2 of 2, full 0 of 3\nnever took effect, so nothing is shown about them: full\n',
  )
})
