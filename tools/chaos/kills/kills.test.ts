import { expect, it } from 'vitest'
import { chaos } from '../chaos.ts'

it('executions of every kind survive kill -9 at random instants, with nothing lost or done twice', async () => {
  const { violations, timeouts, kept, executions } = await chaos({ seed: 1, rounds: 6 })
  expect({ violations, timeouts, kept }).toEqual({ violations: [], timeouts: [] })
  expect(executions).toBeGreaterThan(12)
}, 180_000)
