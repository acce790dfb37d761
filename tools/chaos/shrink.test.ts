import { expect, it } from 'vitest'
import { drawPlan, type Fault, type Plan } from './plan.ts'
import { shrink } from './shrink.ts'

const KILL: Fault = { kind: 'kill', at: 100 }
const PAUSE: Fault = { kind: 'pause', at: 10, forMs: 500 }
const RELOAD: Fault = { kind: 'reload', at: 20, times: 3, everyMs: 50 }

const round = (name: string, ...faults: readonly Fault[]) =>
  ({ since: 'acknowledgement', faults: [...faults, KILL], starts: [name], streams: [] }) as const

const plan = (...rounds: Plan['rounds']): Plan => ({ seed: 1, mode: 'mixed', rounds })

/** Whether a plan has the round `b`, paused, and after it the round `d`. */
const pausedBeforeD = ({ rounds }: Plan) => {
  const b = rounds.findIndex(({ starts, faults }) => starts[0] === 'b' && faults.includes(PAUSE))
  return b !== -1 && rounds.slice(b).some(({ starts }) => starts[0] === 'd')
}

it('shrink leaves out the rounds and the faults that do not matter', async () => {
  const long = plan(round('a'), round('b', PAUSE, RELOAD), round('c', RELOAD), round('d', RELOAD), round('e'))
  const short = await shrink(long, async (some) => pausedBeforeD(some))
  expect(short).toEqual(plan(round('b', PAUSE), round('d')))
})

it('shrink keeps a plan of which nothing can be left out', async () => {
  const long = drawPlan(3, 6, 'mixed')
  expect(await shrink(long, async (some) => JSON.stringify(some) === JSON.stringify(long))).toEqual(long)
})

it('shrink needs few plays for one round of many', async () => {
  const long = drawPlan(3, 64, 'kills')
  const [, wanted] = long.rounds
  let plays = 0
  const short = await shrink(long, async ({ rounds }) => {
    plays++
    return rounds.some((one) => one === wanted)
  })
  expect(short.rounds).toEqual([wanted])
  expect(plays).toBeLessThan(20)
})
