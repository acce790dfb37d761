import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepStatistics } from '../../contract/endpoints/statistics.ts'
import { durationText } from '../ui/time/format-time.ts'

/** Fewer runs say little about what is usual. */
const MIN_RUNS = 20
/** Smaller differences are not pointed out. */
const MIN_FACTOR = 2
const MIN_DIFFERENCE_MS = 50
/** Durations below are not known better. */
const SHORTEST_MS = 1

type Usual = Pick<StepStatistics, 'timed' | 'p50Ms' | 'p95Ms'>

/** Whether there are enough runs to compare with. */
export function isUsual(usual: Usual | undefined): usual is Usual & { p50Ms: number; p95Ms: number } {
  return usual !== undefined && usual.timed >= MIN_RUNS && usual.p50Ms !== null && usual.p95Ms !== null
}

/** How many times longer than usual a step took, as text: `12 ×`. `undefined` unless it is remarkable. */
export function slownessOf(durationMs: number, usual: Usual | undefined): string | undefined {
  if (!isUsual(usual)) return undefined
  const { p50Ms, p95Ms } = usual
  const factor = durationMs / Math.max(SHORTEST_MS, p50Ms)
  const isSlow = factor >= MIN_FACTOR && durationMs > p95Ms && durationMs - p50Ms >= MIN_DIFFERENCE_MS
  if (!isSlow) return undefined
  return factor >= 100 ? 'over 100 ×' : `${factor >= 10 ? Math.round(factor) : factor.toFixed(1)} ×`
}

/** What is usual, as text: `120 ms, 95 % up to 340 ms`. */
export function usualText({ p50Ms, p95Ms }: { readonly p50Ms: number; readonly p95Ms: number }): string {
  return `${shortText(p50Ms)}, 95 % up to ${shortText(p95Ms)}`
}

/** A duration from statistics, which are not more precise. */
export function shortText(ms: number): string {
  if (ms < SHORTEST_MS) return '< 1 ms'
  if (ms < 1000 || ms >= 60_000) return durationText(ms)
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
}

type Run = Pick<ExecutionDetail, 'createdAt' | 'events' | 'steps'>

/**
 * The steps that took remarkably long, by their path. Steps during which the execution waited or was interrupted are not
 * compared, nor those that it has from the execution that it replays.
 */
export function slowSteps(
  { createdAt, events, steps }: Run,
  usualOf: (step: StepRecord) => Usual | undefined,
): ReadonlyMap<string, string> {
  const started = Date.parse(createdAt)
  const breaks = events
    .filter(({ type }) => type === 'workflow-suspended' || type === 'workflow-resumed')
    .map(({ startTime }) => Date.parse(startTime))
  return new Map(
    steps.flatMap((step) => {
      const { startTime, endTime, durationMs, path } = step
      if (endTime === null || durationMs === null) return []
      const [start, end] = [Date.parse(startTime), Date.parse(endTime)]
      if (start < started || breaks.some((at) => at > start && at < end)) return []
      const slowness = slownessOf(durationMs, usualOf(step))
      return slowness === undefined ? [] : [[path, slowness] as const]
    }),
  )
}
