import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { memoryOf } from '../process.ts'
import { percentile } from '../report.ts'
import type { Measurement } from '../report.ts'
import { fill } from './fill.ts'
import { RELEASE_FILE, timesOf, untilCount, withServer, withSizesProject } from './sizes-project.ts'

/** Executions that run at once, each in a step. */
export function running(count: number): Promise<Measurement[]> {
  return withSizesProject(count, (root) =>
    withServer(root, async (server) => {
      const idle = memoryOf(server)
      const startedAt = performance.now()
      await fill(server, { workflow: 'holds', count })
      await untilCount(server, 'status=running', count)
      const seconds = (performance.now() - startedAt) / 1000
      const memory = memoryOf(server)
      const times = await timesOf(server, ['/workflows'], 100)
      const releasedAt = performance.now()
      writeFileSync(path.join(root, RELEASE_FILE), '')
      await untilCount(server, 'status=completed', count)
      const name = `${count.toLocaleString('en-US')} executions that run at once`
      return [
        { name: `${name}: until all run`, measured: seconds, unit: 's' },
        {
          name: `${name}: resident memory`,
          measured: memory,
          unit: 'MB',
          note: `${idle.toFixed(0)} MB before, ${(((memory - idle) * 1024) / count).toFixed(1)} kB each`,
        },
        { name: `${name}: GET /workflows meanwhile, p95`, measured: percentile(times, 0.95), unit: 'ms' },
        {
          name: `${name}: all completed after the end of their steps`,
          measured: (performance.now() - releasedAt) / 1000,
          unit: 's',
        },
      ]
    }),
  )
}
