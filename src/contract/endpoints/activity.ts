import { z } from 'zod'
import { Cost } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { Instant, InstantQuery } from '../fields.ts'
import { EXECUTION_STATUSES, ExecutionStatus } from '../status.ts'

/** The limit of counts: the console shows "100,000 and more". */
export const MAX_COUNT = 100_000

/** The number of hours in the activity, the current one included. */
export const ACTIVITY_HOURS = 24

export const ActivityHour = z
  .object({
    start: Instant.describe('Start of the hour'),
    started: z.int().describe('Executions started'),
    completed: z.int().describe('Executions completed'),
    errors: z.int().describe('Executions failed'),
    cancelled: z.int().describe('Executions cancelled'),
    answers: z.int().describe('Agent runs ended'),
    inputTokens: z.int().describe('Input tokens of those runs'),
    outputTokens: z.int().describe('Output tokens of those runs'),
    costUsd: Cost,
  })
  .meta({ id: 'ActivityHour' })
export type ActivityHour = z.infer<typeof ActivityHour>

const Count = z.int()
const limit = `${MAX_COUNT} at most`

export const Activity = z
  .object({
    at: Instant.describe('Time of the counts'),
    running: Count.describe(`Running executions, ${limit}`),
    suspended: Count.describe(`Suspended executions, ${limit}`),
    needsYou: z
      .object({
        suspended: Count.describe(`Suspended executions that wait for a person, ${limit}`),
        approvals: Count.describe('Tool calls and forms of agent runs that wait for a decision'),
        failed: Count.describe(`Executions failed after \`since\`, ${limit}`),
        since: Instant,
      })
      .describe('What needs attention, without children of other executions'),
    hours: z.array(ActivityHour).describe('Last 24 hours, oldest first, the current hour included'),
  })
  .meta({ id: 'Activity' })
export type Activity = z.infer<typeof Activity>

/** The number of newest executions that are counted for each workflow. */
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
      .describe('Newest execution'),
    recent: z
      .object(Recent)
      .describe(`Number of executions by status, among the newest ${RECENT_EXECUTIONS}`),
  })
  .meta({ id: 'WorkflowActivity' })
export type WorkflowActivity = z.infer<typeof WorkflowActivity>

export const activityEndpoints = endpoints({
  getActivity: {
    method: 'GET',
    path: '/observability/activity',
    group: 'observability',
    tag: 'Observability',
    summary: 'Counts running, suspended and failed executions, and the activity of the last 24 hours',
    query: z.object({
      since: InstantQuery.optional().describe(
        'Executions failed after this instant are counted; default 24 hours ago',
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
    summary: 'Returns the newest execution of every workflow and the statuses of its newest 100',
    reply: { kind: 'data', schema: z.array(WorkflowActivity) },
    errors: [],
  },
})
