import { expect, it } from 'vitest'
import { chaos } from '../chaos.ts'
import { drawPlan } from '../plan.ts'

it.each([1, 2, 3, 4, 5])(
  'executions of every kind survive the faults of seed %i, with nothing lost or done twice',
  async (seed) => {
    const { violations, timeouts, kept, executions } = await chaos({
      plan: drawPlan(seed, 6, 'mixed'),
    })
    expect({ violations, timeouts, kept }).toEqual({ violations: [], timeouts: [] })
    // a busy machine starts few of them
    expect(executions).toBeGreaterThan(3)
  },
  180_000,
)
