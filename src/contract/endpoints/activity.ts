import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant, InstantQuery } from '../fields.ts'
import { EXECUTION_STATUSES, ExecutionStatus } from '../status.ts'

/** Nothing is counted beyond this: a page says "100,000 and more". */
export const MAX_COUNT = 100_000

/** Hours that are told of, the one that has just begun among them. */
export const ACTIVITY_HOURS = 24

export const ActivityHour = z
  .object({
    start: Instant,
    started: z.int().describe('Executions that began'),
    completed: z.int(),
    errors: z.int(),
    cancelled: z.int(),
    answers: z.int().describe('Runs of agents that ended'),
    inputTokens: z.int(),
    outputTokens: z.int(),
  })
  .meta({ id: 'ActivityHour' })
export type ActivityHour = z.infer<typeof ActivityHour>

const Count = z.int().describe(`At most ${MAX_COUNT}`)

export const Activity = z
  .object({
    at: Instant,
    running: Count,
    suspended: Count,
    needsYou: z
      .object({ suspended: Count, failed: Count, since: Instant })
      .describe('Without those that are children of another execution; failures since this instant'),
    hours: z.array(ActivityHour).describe('The last 24, oldest first; the last one has just begun'),
  })
  .meta({ id: 'Activity' })
export type Activity = z.infer<typeof Activity>

/** Executions of a workflow that are told of, the newest ones. */
export const RECENT_EXECUTIONS = 100

const Recent = Object.fromEntries(EXECUTION_STATUSES.map((status) => [status, z.int()])) as Record<
  ExecutionStatus,
  z.ZodInt
>

export const WorkflowActivity = z
  .object({
    workflowId: z.string(),
    last: z
      .object({
        executionId: z.string(),
        status: ExecutionStatus,
        createdAt: Instant,
        endedAt: Instant.nullable(),
      })
      .nullable()
      .describe('The newest execution'),
    recent: z.object(Recent).describe(`How the newest ${RECENT_EXECUTIONS} executions stand, by status`),
  })
  .meta({ id: 'WorkflowActivity' })
export type WorkflowActivity = z.infer<typeof WorkflowActivity>

export const activityEndpoints = endpoints({
  getActivity: {
    method: 'GET',
    path: '/observability/activity',
    group: 'observability',
    tag: 'Observability',
    summary: 'What runs, what waits for a person, and the last 24 hours by the hour',
    query: z.object({
      since: InstantQuery.optional().describe(
        'Failures after this instant need you; 24 hours ago unless given',
      ),
    }),
    reply: { kind: 'data', schema: Activity },
    errors: [400],
  },
  listWorkflowActivity: {
    method: 'GET',
    path: '/observability/workflows',
    group: 'observability',
    tag: 'Observability',
    summary: 'The last execution of every workflow, and how the newest 100 stand',
    reply: { kind: 'data', schema: z.array(WorkflowActivity) },
    errors: [],
  },
})
