import { windowHours } from '../../agent/budgets/budget.ts'
import {
  MAX_COST_GROUPS,
  USAGE_HOURS,
  USAGE_SLICES,
  USAGE_SLICE_MS,
  MAX_COUNT,
  MAX_OPEN_FAILURES,
  RECENT_EXECUTIONS,
  SHOWN_RUNS,
} from '../../contract/endpoints/usage.ts'
import type {
  BudgetUse,
  CallCosts,
  Costs,
  CurrentUsage,
  UsageSlice,
  AgentUsage,
  WorkflowUsage,
  usageEndpoints,
} from '../../contract/endpoints/usage.ts'
import type { BudgetState } from '../../engine/budgets/budget-states.ts'
import { groupBy } from '../../lib/group-by.ts'
import { TRIAL_PLACE } from '../../contract/usage/step-place.ts'
import type {
  CallSums,
  PlacedCalls,
  RecentAgentRun,
  RecentExecution,
  SliceCounts,
} from '../../store/usage-store.ts'
import { HOUR_MS, toIso } from '../../lib/clock.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import type { Handler } from '../reply/reply.ts'
import { registeredToolsOf } from './mcp/registered-tools-of.ts'
import type { Services } from '../services.ts'

type Group = typeof usageEndpoints

/** The executions, and the agent runs, that are counted in slices. */
const MAX_SLICED = 20_000

/** Longer ranges are divided into days. */
const MAX_HOURS = 48

export function usageHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const hourOf = (at: number) => Math.floor(at / HOUR_MS)
  return {
    getActivity: async ({ query }): Promise<CurrentUsage> => {
      const { engine, store } = services.current()
      const { usage, history } = engine
      const now = services.clock.now()
      const since = query.since === undefined ? now - USAGE_HOURS * HOUR_MS : Date.parse(query.since)
      const first = Math.floor(now / HOUR_MS) - USAGE_HOURS + 1
      const [counts, hours, approvals, failures] = await Promise.all([
        usage.counts({ failedAfter: since, limit: MAX_COUNT }),
        usage.hours(first),
        history.countPendingApprovals(),
        store.failures.openSince(since, MAX_OPEN_FAILURES),
      ])
      const { running, suspended, waiting, failed } = counts
      return {
        at: toIso(now),
        running,
        suspended,
        needsYou: {
          suspended: waiting,
          approvals: Math.min(approvals, MAX_COUNT),
          failed,
          since: toIso(since),
        },
        openFailures: failures.map(({ id, lastAt }) => ({ id, lastAt: toIso(lastAt) })),
        hours: Array.from({ length: USAGE_HOURS }, (_, index) => {
          const { hour, costNano, ...counted } = hours.find((one) => one.hour === first + index) ?? {
            ...NOTHING,
            hour: first + index,
          }
          const costUsd = costNano === null ? null : fromNanoDollars(costNano)
          return { start: toIso(hour * HOUR_MS), ...counted, costUsd }
        }),
      }
    },
    listLastHour: async () => {
      const slice = Math.floor(services.clock.now() / USAGE_SLICE_MS)
      const first = slice - USAGE_SLICES + 1
      const { usage } = services.current().engine
      const query = { after: first * USAGE_SLICE_MS - 1, limit: MAX_SLICED }
      return usageSlices(await usage.slices(query), first)
    },
    listWorkflowActivity: () => {
      const { registry, engine } = services.current()
      return Promise.all(
        registry.list().map(async ({ definition: { id } }) => {
          return workflowUsage(id, await engine.usage.recent(id, RECENT_EXECUTIONS))
        }),
      )
    },
    listAgentActivity: () => {
      const { registry, engine } = services.current()
      return Promise.all(
        registry.usedAgents.map(async ({ id }) => {
          const runs = await engine.usage.recentAgentRuns(id, SHOWN_RUNS)
          return { agentId: id, runs: runs.map((run) => agentRun(run)) }
        }),
      )
    },
    listToolActivity: () =>
      registeredToolsOf(services.current().config).map(({ tool: { name } }) => ({
        toolName: name,
        runs: [...services.traces.toolCalls.of(name)],
      })),
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
      const ofSteps = calls.filter(({ workflowId }) => workflowId !== '')
      const marked = calls.map((one) => ({ ...one, trial: isTrial(one) || undefined }))
      return {
        from: toIso(fromHour * HOUR_MS),
        to: toIso((toHour + 1) * HOUR_MS),
        total: callCosts(sumCalls(calls)),
        workflows: groupCalls(marked, 'workflowId', 'trial').slice(0, MAX_COST_GROUPS),
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
  }
}

/**
 * The slices of the last hour, with those in which nothing ended. Where not everything could be counted, the oldest
 * one that was counted is incomplete and left out, with those before it.
 */
function usageSlices(counted: readonly SliceCounts[], first: number): UsageSlice[] {
  const bySlice = new Map(counted.map((one) => [one.slice, one]))
  const total = (of: (one: SliceCounts) => number) => counted.reduce((sum, one) => sum + of(one), 0)
  const executions = total(({ completed, errors, cancelled }) => completed + errors + cancelled)
  const isPartial =
    Math.max(
      executions,
      total(({ answers }) => answers),
    ) >= MAX_SLICED
  const from = isPartial ? (counted[0]?.slice ?? first) + 1 : first
  return Array.from({ length: first + USAGE_SLICES - from }, (_, index) => {
    const { slice, ...counts } = bySlice.get(from + index) ?? { ...NO_SLICE, slice: from + index }
    return { start: toIso(slice * USAGE_SLICE_MS), ...counts }
  })
}

function agentRun({ id, status, startedAt, endedAt, traceId }: RecentAgentRun): AgentUsage['runs'][number] {
  return {
    runId: id,
    status,
    startedAt: toIso(startedAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    traceId,
  }
}

function workflowUsage(workflowId: string, executions: readonly RecentExecution[]): WorkflowUsage {
  const recent = { running: 0, suspended: 0, completed: 0, error: 0, cancelled: 0 }
  for (const { status } of executions) recent[status]++
  const runs = executions.slice(0, SHOWN_RUNS).map(({ id, status, createdAt, endedAt }) => ({
    executionId: id,
    status,
    createdAt: toIso(createdAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
  }))
  return { workflowId, last: runs[0] ?? null, recent, runs }
}

function isTrial({ workflowId, step }: Pick<PlacedCalls, 'workflowId' | 'step'>): boolean {
  return workflowId === TRIAL_PLACE.workflowId && step === TRIAL_PLACE.step
}

const NO_SLICE = { completed: 0, errors: 0, cancelled: 0, answers: 0, inputTokens: 0, outputTokens: 0 }

const NOTHING = { ...NO_SLICE, started: 0, costNano: 0 }

const NO_CALLS: CallSums = { calls: 0, unpriced: 0, inputTokens: 0, outputTokens: 0, costNano: 0 }

/** Sums as the API returns them. */
export function callCosts({ calls, unpriced, inputTokens, outputTokens, costNano }: CallSums): CallCosts {
  const knownCostUsd = fromNanoDollars(costNano)
  const costUsd = unpriced > 0 ? null : knownCostUsd
  return { calls, inputTokens, outputTokens, costUsd, knownCostUsd, unpricedCalls: unpriced }
}

export function sumCalls(rows: readonly CallSums[]): CallSums {
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
