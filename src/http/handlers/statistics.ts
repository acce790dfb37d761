import { windowHours } from '../../agent/budgets/budget.ts'
import { MAX_COST_GROUPS, USUAL_DAYS } from '../../contract/endpoints/statistics.ts'
import type {
  Costs,
  StepStatistics,
  statisticsEndpoints,
  CallCosts,
  BudgetUse,
} from '../../contract/endpoints/statistics.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import type { BudgetState } from '../../engine/budgets/budget-states.ts'
import { toIso } from '../../lib/clock.ts'
import { groupBy } from '../../lib/group-by.ts'
import { DURATION_PRECISION, percentile } from '../../lib/telemetry/duration-buckets.ts'
import { DAY_MS, HOUR_MS } from '../../store/activity-store.ts'
import { UNTIMED } from '../../store/usage/usage-store.ts'
import type { CallSums, StepTimes } from '../../store/usage/usage-store.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

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

const NO_CALLS: CallSums = { calls: 0, unpriced: 0, inputTokens: 0, outputTokens: 0, costNano: 0 }

/** Sums as the API returns them. */
function callCosts({ calls, unpriced, inputTokens, outputTokens, costNano }: CallSums): CallCosts {
  const knownCostUsd = fromNanoDollars(costNano)
  const costUsd = unpriced > 0 ? null : knownCostUsd
  return { calls, inputTokens, outputTokens, costUsd, knownCostUsd, unpricedCalls: unpriced }
}

function sumCalls(rows: readonly CallSums[]): CallSums {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      unpriced: sum.unpriced + row.unpriced,
      inputTokens: sum.inputTokens + row.inputTokens,
      outputTokens: sum.outputTokens + row.outputTokens,
      costNano: sum.costNano + row.costNano,
    }),
    NO_CALLS,
  )
}

/** The sums of the rows with the same keys, the most expensive first. */
function groupCalls<Row extends CallSums, const Key extends keyof Row>(
  rows: readonly Row[],
  ...keys: readonly Key[]
): (Pick<Row, Key> & CallCosts)[] {
  const groups = groupBy(rows, (row) => JSON.stringify(keys.map((key) => row[key])))
  return [...groups.values()]
    .map((group) => ({ group, sums: sumCalls(group) }))
    .toSorted((one, other) => other.sums.costNano - one.sums.costNano || other.sums.calls - one.sums.calls)
    .map(({ group, sums }) => {
      const [first] = group as [Row]
      const named = Object.fromEntries(keys.map((key) => [key, first[key]])) as Pick<Row, Key>
      return { ...named, ...callCosts(sums) }
    })
}

/** A budget as the API returns it. */
function usedBudget({ declaredOn, budget, top, ratio }: BudgetState): BudgetUse {
  const { per, usd = null, tokens = null, onLimit = 'fail' } = budget
  return {
    declaredOn,
    per,
    everyHours: windowHours(budget),
    usd,
    tokens,
    onLimit: typeof onLimit === 'object' ? nameOf(onLimit.model) : onLimit,
    subject: top?.subject ?? null,
    usedUsd: fromNanoDollars(top?.costNano ?? 0),
    usedTokens: top?.tokens ?? 0,
    usedRatio: ratio,
  }
}

function nameOf(model: string | { readonly provider: string; readonly modelId: string }): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}

interface CostFilter {
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
}

/** Whether a budget is declared on what the costs are of; all are of the project. */
function isOf({ declaredOn }: BudgetUse, { workflowId, agentId }: CostFilter): boolean {
  if (workflowId === undefined && agentId === undefined) return true
  return declaredOn === `workflow ${workflowId}` || declaredOn === `agent ${agentId}`
}
