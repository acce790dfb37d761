import { writeFileSync } from 'node:fs'
import type { BenchOptions } from '../options.ts'
import { formatReport } from '../report.ts'
import type { Measurement } from '../report.ts'
import { curvesOf } from './curves.ts'
import { measurementOf } from './figures.ts'
import type { Point } from './figures.ts'
import { finished } from './finished.ts'
import { ofCalls, ofEvents, ofResult } from './long.ts'
import { progress } from './progress.ts'
import { running } from './running.ts'
import { sleeping, suspended } from './waiting.ts'

const UP_TO = 100_000
const RESULT_CHARS = 10_000_000

/**
 * Large executions, and many: up to `upTo` finished ones, and up to 100,000 that wait. A smaller number makes all of it
 * smaller. `curves` is the file to which the growth is drawn, as SVG.
 */
export async function sizes({ upTo = UP_TO, curves }: BenchOptions): Promise<Measurement[]> {
  const share = Math.min(upTo / UP_TO, 1)
  const single: Measurement[] = []
  const count = (most: number) => Math.ceil(most * share)
  for (const measure of [
    () => ofCalls(count(10_000)),
    () => ofEvents(2 * count(50_000)),
    () => ofResult(count(RESULT_CHARS)),
    () => running(count(20_000)),
  ]) {
    const measured = await measure()
    single.push(...measured)
    show(measured)
  }
  const points: Point[] = []
  for (const measure of [finished, suspended, sleeping]) {
    progress(`${measure.name} …`)
    const grown = await measure(upTo)
    points.push(...grown)
    show(grown.map((point) => measurementOf(point)))
    if (curves !== undefined) writeFileSync(curves, curvesOf(points))
  }
  return [...single, ...points.map((point) => measurementOf(point))]
}

/** Prints figures as soon as they are measured: what follows takes minutes, and can be stopped. */
function show(measured: readonly Measurement[]): void {
  progress(formatReport(measured).replaceAll('\n', '\n  '))
}
