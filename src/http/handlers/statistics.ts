import { callCosts, sumCalls } from './usage.ts'
import { USUAL_DAYS } from '../../contract/endpoints/statistics.ts'
import type { StepStatistics, statisticsEndpoints } from '../../contract/endpoints/statistics.ts'
import { toIso, DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { groupBy } from '../../lib/group-by.ts'
import { DURATION_PRECISION, percentile } from '../../lib/telemetry/duration-buckets.ts'
import { UNTIMED } from '../../store/usage-store.ts'
import type { CallSums, StepTimes } from '../../store/usage-store.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof statisticsEndpoints

export function statisticsHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const hourOf = (at: number) => Math.floor(at / HOUR_MS)
  return {
    getWorkflowStatistics: async ({ params: { id } }) => {
      const { engine, registry } = services.current()
      const { usage } = engine
      registry.get(id)
      const now = services.clock.now()
      const today = Math.floor(now / DAY_MS)
      const days = Array.from({ length: USUAL_DAYS + 1 }, (_, index) => today - USUAL_DAYS + index)
      const from = (today - USUAL_DAYS) * DAY_MS
      const [times, calls] = await Promise.all([
        usage.stepTimes(id, days),
        usage.calls({ fromHour: hourOf(from), toHour: hourOf(now), workflowId: id }),
      ])
      const timesOf = groupBy(times, ({ step }) => step)
      const callsOf = groupBy(calls, ({ step }) => step)
      const steps = [...new Set([...timesOf.keys(), ...callsOf.keys()])].toSorted()
      return {
        from: toIso(from),
        to: toIso(now),
        precision: DURATION_PRECISION,
        steps: steps.map((step) => stepStatistics(step, timesOf.get(step) ?? [], callsOf.get(step))),
      }
    },
  }
}

function stepStatistics(
  step: string,
  times: readonly StepTimes[],
  calls: readonly CallSums[] | undefined,
): StepStatistics {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const counts = times
    .filter(({ bucket }) => bucket !== UNTIMED)
    .map(({ bucket, completed: count }) => ({ bucket, count }))
  const errors = sum(times.map((row) => row.errors))
  return {
    step,
    runs: sum(times.map(({ completed }) => completed)) + errors,
    errors,
    timed: sum(counts.map(({ count }) => count)),
    p50Ms: percentile(counts, 0.5),
    p95Ms: percentile(counts, 0.95),
    costs: calls ? callCosts(sumCalls(calls)) : null,
  }
}
