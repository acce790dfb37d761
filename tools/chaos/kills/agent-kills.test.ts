import { expect, it } from 'vitest'
import { agentChaos } from '../agents/agent-chaos.ts'
import { drawPlan } from '../plan.ts'

it('answers of agents survive kill -9 at random instants, with no recorded call made again', async () => {
  // fewer than the crashes after which a run that does not get on is given up
  const { violations, timeouts, kept, runs } = await agentChaos({ plan: drawPlan(1, 2, 'agents') })
  expect({ violations, timeouts, kept }).toEqual({ violations: [], timeouts: [] })
  expect(runs).toBeGreaterThan(2)
}, 120_000)
