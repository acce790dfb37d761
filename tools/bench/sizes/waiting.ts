import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf, processorTimeOf } from '../process.ts'
import type { Point } from './figures.ts'
import { fill } from './fill.ts'
import { ladderTo } from './ladder.ts'
import { progress } from './progress.ts'
import { settled, untilCount, withServer, withSizesProject } from './sizes-project.ts'

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

/** Least time before a wake-up, in milliseconds. */
const SPARE_MS = 5000
/** Executions per second that every machine starts. */
const LEAST_RATE = 250

/** Executions that sleep, and wake at the same time. */
export function sleeping(upTo: number): Promise<Point[]> {
  return withSizesProject(upTo, async (root) => {
    const points: Point[] = []
    let completed = 0
    let rate = LEAST_RATE
    for (const size of ladderTo(Math.min(upTo, MOST))) {
      await withServer(root, async (server) => {
        // one that begins after the time of the wake-up does not sleep
        const at = Date.now() + (2 * size * 1000) / rate + SPARE_MS
        const input = () => ({ at: new Date(at).toISOString() })
        rate = await fill(server, { workflow: 'sleeps', count: size, input })
        await untilCount(server, 'workflowId=sleeps&status=suspended', size)
        if (Date.now() > at) throw new Error('This machine was too slow to start them before their wake-up')
        points.push({ figure: 'sleepingMemory', size, value: memoryOf(server) })
        progress(`${size.toLocaleString('en-US')} asleep`)
        await wait(Math.max(at - Date.now(), 0))
        completed += size
        await untilCount(server, 'workflowId=sleeps&status=completed', completed)
        points.push({
          figure: 'wake',
          size,
          value: (Date.now() - at) / 1000,
          note: 'to the last one completed',
        })
      })
    }
    return points
  })
}
