import { expect, it } from 'vitest'
import { describeOnPostgres } from '../../../test/support/postgres/test-database.ts'
import { chaos } from '../chaos.ts'
import type { Plan } from '../plan.ts'

const starts = ['items', 'calls', 'queued', 'saga', 'naps', 'asks']
const round = { since: 'acknowledgement', starts, streams: ['items', 'calls'] } as const

const PLAN: Plan = {
  seed: 1,
  mode: 'machines',
  machines: 3,
  rounds: [
    {
      ...round,
      machine: 0,
      faults: [
        { kind: 'pause', at: 1500, forMs: 5000, machine: 1 },
        { kind: 'kill', at: 2000 },
      ],
    },
    { ...round, machine: 2, faults: [{ kind: 'terminate', at: 1000, graceMs: 500 }] },
  ],
}

describeOnPostgres('three machines', () => {
  it('of which one is killed, one hangs and one is terminated lose nothing and do nothing twice', async () => {
    const { violations, timeouts, effects } = await chaos({ plan: PLAN, postgres: true })
    expect({ violations, timeouts }).toEqual({ violations: [], timeouts: [] })
    expect(effects).toEqual(['kill', 'pause', 'terminate'].map((kind) => ({ kind, planned: 1, happened: 1 })))
  }, 300_000)
})
