import { expect, it } from 'vitest'
import { chaos } from '../chaos.ts'
import type { Fault, Plan } from '../plan.ts'

const KILL: Fault = { kind: 'kill', at: 2500 }

const plan = (...faults: readonly Fault[]): Plan => {
  const starts = ['items', 'calls', 'queued', 'saga']
  return {
    seed: 1,
    mode: 'mixed',
    rounds: [{ since: 'acknowledgement', faults, starts, streams: ['items'] }],
  }
}

it.each<[Fault['kind'], readonly Fault[], RegExp]>([
  [
    'full',
    [{ kind: 'full', at: 100, forMs: 1000 }, KILL],
    /cannot be used: its disk failed to read or write/,
  ],
  ['missing', [{ kind: 'missing', at: 100, forMs: 1500 }, KILL], /cannot be used: data\.db was deleted/],
  [
    'replaced',
    [
      { kind: 'replaced', at: 100, forMs: 1500, by: 'backup' },
      { ...KILL, at: 4500 },
    ],
    /cannot be used: data\.db was replaced/,
  ],
  ['poison', [{ kind: 'poison', at: 800, graceMs: 20_000 }], /crash 2 of 3 with nothing else running/],
])(
  'the fault %s happens to the server, and nothing is lost or done twice',
  async (kind, faults, trace) => {
    const { violations, timeouts, log, effects } = await chaos({ plan: plan(...faults) })
    expect({ violations, timeouts }).toEqual({ violations: [], timeouts: [] })
    expect(log).toMatch(trace)
    expect(effects).toContainEqual({ kind, planned: 1, happened: 1 })
  },
  300_000,
)

it('a backup beside the server and a restore after it are killed, and lose nothing', async () => {
  const [round] = plan({ kind: 'backup', at: 100, killedAfterMs: 50 }, KILL).rounds
  const rounds = round ? [{ ...round, restoreKilledAfterMs: 50 }] : []
  const { violations, timeouts, commands } = await chaos({ plan: { seed: 1, mode: 'mixed', rounds } })
  expect({ violations, timeouts }).toEqual({ violations: [], timeouts: [] })
  // the backup before the restore is not killed
  expect(commands).toEqual({ ended: 1, killed: 2 })
}, 300_000)
