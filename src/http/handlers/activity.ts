import { ACTIVITY_HOURS, MAX_COUNT, RECENT_EXECUTIONS } from '../../contract/endpoints/activity.ts'
import type { Activity, WorkflowActivity, activityEndpoints } from '../../contract/endpoints/activity.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import { toIso } from '../../lib/clock.ts'
import type { RecentExecution } from '../../store/activity-store.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof activityEndpoints

const HOUR_MS = 3_600_000

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
    listWorkflowActivity: () => {
      const { registry, engine } = services.current()
      return Promise.all(
        registry.list().map(async ({ definition: { id } }) => {
          return workflowActivity(id, await engine.activity.recent(id, RECENT_EXECUTIONS))
        }),
      )
    },
  }
}

function workflowActivity(workflowId: string, executions: readonly RecentExecution[]): WorkflowActivity {
  const recent = { running: 0, suspended: 0, completed: 0, error: 0, cancelled: 0 }
  for (const { status } of executions) recent[status]++
  const [newest] = executions
  const last = newest && {
    executionId: newest.id,
    status: newest.status,
    createdAt: toIso(newest.createdAt),
    endedAt: newest.endedAt === null ? null : toIso(newest.endedAt),
  }
  return { workflowId, last: last ?? null, recent }
}

const NOTHING = {
  started: 0,
  completed: 0,
  errors: 0,
  cancelled: 0,
  answers: 0,
  inputTokens: 0,
  outputTokens: 0,
  costNano: 0,
}
