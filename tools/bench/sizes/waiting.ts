import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf, processorTimeOf } from '../process.ts'
import type { Point } from './figures.ts'
import { fill } from './fill.ts'
import { ladderTo } from './ladder.ts'
import { progress } from './progress.ts'
import { settled, untilCount, withServer, withSizesProject } from './sizes-project.ts'

/** More take hours to start. */
const MOST = 100_000

/** Executions that wait for a person, on one database that grows. */
export function suspended(upTo: number): Promise<Point[]> {
  return withSizesProject(upTo, async (root) => {
    const points: Point[] = []
    let size = 0
    for (const next of ladderTo(Math.min(upTo, MOST))) {
      const rate = await withServer(root, async (server) => {
        const started = await fill(server, { workflow: 'suspends', count: next - size })
        await untilCount(server, 'status=suspended', next)
        await settled(server)
        return started
      })
      size = next
      progress(`${size.toLocaleString('en-US')} suspended`)
      const note = `started at ${rate.toFixed(0)} per second`
      await withServer(root, async (server) => {
        points.push({ figure: 'suspendedStart', size, value: processorTimeOf(server) })
        await settled(server)
        points.push({ figure: 'suspendedMemory', size, value: memoryOf(server), note })
      })
    }
    return points
  })
}

/** Time before a wake-up, in milliseconds: for all, and for each that has to start before. */
const SPARE = { least: 5000, each: 8 }

/** Executions that sleep, and wake at the same time. */
export async function sleeping(upTo: number): Promise<Point[]> {
  const points: Point[] = []
  for (const size of ladderTo(Math.min(upTo, MOST))) points.push(...(await wakeUpOf(size)))
  return points
}

/** On a machine that is too slow to start them all before their wake-up, it starts others, with more time. */
async function wakeUpOf(size: number, spareMs = SPARE.least + size * SPARE.each): Promise<Point[]> {
  const points = await withSizesProject(size, (root) =>
    withServer(root, async (server) => {
      const at = Date.now() + spareMs
      const input = () => ({ at: new Date(at).toISOString() })
      await fill(server, { workflow: 'sleeps', count: size, input })
      if (Date.now() >= at) return undefined
      const memory = memoryOf(server)
      progress(`${size.toLocaleString('en-US')} asleep`)
      await wait(at - Date.now())
      await untilCount(server, 'status=completed', size)
      const wakeS = (Date.now() - at) / 1000
      return [
        { figure: 'sleepingMemory', size, value: memory },
        { figure: 'wake', size, value: wakeS, note: 'to the last one completed' },
      ] satisfies Point[]
    }),
  )
  return points ?? wakeUpOf(size, 4 * spareMs)
}
