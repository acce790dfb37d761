import {
  ACTIVITY_HOURS,
  ACTIVITY_SLICES,
  ACTIVITY_SLICE_MS,
  MAX_COUNT,
  RECENT_EXECUTIONS,
  SHOWN_RUNS,
} from '../../contract/endpoints/activity.ts'
import type {
  Activity,
  ActivitySlice,
  AgentActivity,
  WorkflowActivity,
  activityEndpoints,
} from '../../contract/endpoints/activity.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import { toIso } from '../../lib/clock.ts'
import type { RecentAgentRun, RecentExecution, SliceCounts } from '../../store/activity-store.ts'
import type { Handler } from '../reply/reply.ts'
import { registeredToolsOf } from './mcp/registered-tools-of.ts'
import type { Services } from '../services.ts'

type Group = typeof activityEndpoints

const HOUR_MS = 3_600_000
/** The executions, and the agent runs, that are counted in slices. */
const MAX_SLICED = 20_000

export function activityHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getActivity: async ({ query }): Promise<Activity> => {
      const { activity, history } = services.current().engine
      const now = services.clock.now()
      const since = query.since === undefined ? now - ACTIVITY_HOURS * HOUR_MS : Date.parse(query.since)
      const first = Math.floor(now / HOUR_MS) - ACTIVITY_HOURS + 1
      const [counts, hours, approvals] = await Promise.all([
        activity.counts({ failedAfter: since, limit: MAX_COUNT }),
        activity.hours(first),
        history.countPendingApprovals(),
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
        hours: Array.from({ length: ACTIVITY_HOURS }, (_, index) => {
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
      const slice = Math.floor(services.clock.now() / ACTIVITY_SLICE_MS)
      const first = slice - ACTIVITY_SLICES + 1
      const { activity } = services.current().engine
      const query = { after: first * ACTIVITY_SLICE_MS - 1, limit: MAX_SLICED }
      return activitySlices(await activity.slices(query), first)
    },
    listWorkflowActivity: () => {
      const { registry, engine } = services.current()
      return Promise.all(
        registry.list().map(async ({ definition: { id } }) => {
          return workflowActivity(id, await engine.activity.recent(id, RECENT_EXECUTIONS))
        }),
      )
    },
    listAgentActivity: () => {
      const { registry, engine } = services.current()
      return Promise.all(
        registry.usedAgents.map(async ({ id }) => {
          const runs = await engine.activity.recentAgentRuns(id, SHOWN_RUNS)
          return { agentId: id, runs: runs.map((run) => agentRun(run)) }
        }),
      )
    },
    listToolActivity: () =>
      registeredToolsOf(services.current().config).map(({ tool: { name } }) => ({
        toolName: name,
        runs: [...services.traces.toolCalls.of(name)],
      })),
  }
}

/**
 * The slices of the last hour, with those in which nothing ended. Where not everything could be counted, the oldest
 * one that was counted is incomplete and left out, with those before it.
 */
function activitySlices(counted: readonly SliceCounts[], first: number): ActivitySlice[] {
  const bySlice = new Map(counted.map((one) => [one.slice, one]))
  const total = (of: (one: SliceCounts) => number) => counted.reduce((sum, one) => sum + of(one), 0)
  const executions = total(({ completed, errors, cancelled }) => completed + errors + cancelled)
  const isPartial =
    Math.max(
      executions,
      total(({ answers }) => answers),
    ) >= MAX_SLICED
  const from = isPartial ? (counted[0]?.slice ?? first) + 1 : first
  return Array.from({ length: first + ACTIVITY_SLICES - from }, (_, index) => {
    const { slice, ...counts } = bySlice.get(from + index) ?? { ...NO_SLICE, slice: from + index }
    return { start: toIso(slice * ACTIVITY_SLICE_MS), ...counts }
  })
}

function agentRun({
  id,
  status,
  startedAt,
  endedAt,
  traceId,
}: RecentAgentRun): AgentActivity['runs'][number] {
  return {
    runId: id,
    status,
    startedAt: toIso(startedAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    traceId,
  }
}

function workflowActivity(workflowId: string, executions: readonly RecentExecution[]): WorkflowActivity {
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

const NO_SLICE = { completed: 0, errors: 0, cancelled: 0, answers: 0, inputTokens: 0, outputTokens: 0 }

const NOTHING = { ...NO_SLICE, started: 0, costNano: 0 }
