import { MAX_COST_GROUPS, USUAL_DAYS } from '../../../contract/endpoints/statistics/statistics.ts'
import type {
  Costs,
  StepStatistics,
  statisticsEndpoints,
} from '../../../contract/endpoints/statistics/statistics.ts'
import { toIso } from '../../../lib/clock.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { DURATION_PRECISION, percentile } from '../../../lib/telemetry/duration-buckets.ts'
import { DAY_MS, HOUR_MS } from '../../../store/activity-store.ts'
import { UNTIMED } from '../../../store/usage/usage-store.ts'
import type { CallSums, StepTimes } from '../../../store/usage/usage-store.ts'
import type { Handler } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'
import { isOf, usedBudget } from './used-budget.ts'
import { callCosts, groupCalls, sumCalls } from './call-costs.ts'

type Group = typeof statisticsEndpoints

/** Longer ranges are divided into days. */
const MAX_HOURS = 48

export function statisticsHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const hourOf = (at: number) => Math.floor(at / HOUR_MS)
  return {
    getCosts: async ({ query }): Promise<Costs> => {
      const { usage, budgets } = services.current().engine
      const { from, to, ...of } = query
      const now = services.clock.now()
      const toHour = hourOf(to === undefined ? now : Date.parse(to))
      const fromHour = from === undefined ? toHour - 23 : hourOf(Date.parse(from))
      const filter = { fromHour, toHour, ...of }
      const periodHours = toHour - fromHour < MAX_HOURS ? 1 : 24
      const [calls, periods, used] = await Promise.all([
        usage.calls(filter),
        usage.callsByTime(filter, periodHours),
        budgets.states(),
      ])
      const ofSteps = calls.filter(({ step }) => step !== '')
      return {
        from: toIso(fromHour * HOUR_MS),
        to: toIso((toHour + 1) * HOUR_MS),
        total: callCosts(sumCalls(calls)),
        workflows: groupCalls(calls, 'workflowId').slice(0, MAX_COST_GROUPS),
        steps: groupCalls(ofSteps, 'workflowId', 'step').slice(0, MAX_COST_GROUPS),
        agents: groupCalls(calls, 'agentId').slice(0, MAX_COST_GROUPS),
        models: groupCalls(calls, 'model').slice(0, MAX_COST_GROUPS),
        periodHours,
        periods: periods
          .slice(-MAX_COST_GROUPS)
          .map(({ hour, ...sums }) => ({ start: toIso(hour * HOUR_MS), ...callCosts(sums) })),
        budgets: used.map((use) => usedBudget(use)).filter((budget) => isOf(budget, of)),
      }
    },
    getExecutionCosts: async ({ params }) => {
      const { engine } = services.current()
      const { id } = await engine.executions.find(params)
      const calls = await engine.usage.callsOfExecution(id)
      return { total: callCosts(sumCalls(calls)), steps: groupCalls(calls, 'step', 'agentId', 'model') }
    },
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
