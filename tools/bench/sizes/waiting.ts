import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf, processorTimeOf } from '../process.ts'
import type { Running } from '../process.ts'
import type { Point } from './figures.ts'
import { fill } from './fill.ts'
import { ladderTo } from './ladder.ts'
import { progress } from './progress.ts'
import { countOf, settled, untilCount, withServer, withSizesProject } from './sizes-project.ts'

/** More wait nowhere, and take hours to begin. */
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

/** Time before a wake-up, in milliseconds: for all, and for each that has to begin before. */
const SPARE = { least: 5000, each: 8 }

/** Executions that sleep, and wake at the same time. */
export function sleeping(upTo: number): Promise<Point[]> {
  return withSizesProject(upTo, (root) =>
    withServer(root, async (server) => {
      const points: Point[] = []
      for (const size of ladderTo(Math.min(upTo, MOST))) points.push(...(await wakeUpOf(server, size)))
      return points
    }),
  )
}

/** On a machine that is too slow to begin them all before their wake-up, it begins others, earlier. */
async function wakeUpOf(
  server: Running,
  size: number,
  spareMs = SPARE.least + size * SPARE.each,
): Promise<Point[]> {
  const before = await countOf(server, 'status=completed')
  const at = Date.now() + spareMs
  await fill(server, { workflow: 'sleeps', count: size, input: () => ({ at: new Date(at).toISOString() }) })
  const isInTime = Date.now() < at
  const memory = memoryOf(server)
  if (isInTime) progress(`${size.toLocaleString('en-US')} asleep`)
  await wait(Math.max(at - Date.now(), 0))
  await untilCount(server, 'status=completed', before + size)
  if (!isInTime) return wakeUpOf(server, size, 4 * spareMs)
  return [
    { figure: 'sleepingMemory', size, value: memory },
    { figure: 'wake', size, value: (Date.now() - at) / 1000, note: 'to the last one completed' },
  ]
}
