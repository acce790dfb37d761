import { z } from 'zod'
import { Cost } from '../agent-event.ts'
import { endpoints } from '../endpoint.ts'
import { Instant, InstantQuery } from '../fields.ts'
import { AgentRunStatus } from './agent.ts'
import { EXECUTION_STATUSES } from '../status/execution-statuses.ts'
import { ExecutionStatus } from '../status.ts'

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

/** The last hour is counted in slices of this length. */
export const ACTIVITY_SLICE_MS = 300_000
export const ACTIVITY_SLICES = 12

export const ActivitySlice = ActivityHour.pick({
  completed: true,
  errors: true,
  cancelled: true,
  answers: true,
  inputTokens: true,
  outputTokens: true,
})
  .extend({ start: Instant.describe('Start of the slice') })
  .meta({ id: 'ActivitySlice' })
export type ActivitySlice = z.infer<typeof ActivitySlice>

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
        approvals: Count.describe(
          'Tool calls and forms of agent runs that wait for a decision, and answers that wait in the middle',
        ),
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

/** The number of newest runs of a workflow, an agent or a tool that are returned. */
export const SHOWN_RUNS = 20

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
    runs: z
      .array(
        z.object({
          executionId: z.string(),
          status: ExecutionStatus,
          createdAt: Instant,
          endedAt: Instant.nullable(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} executions, newest first`),
  })
  .meta({ id: 'WorkflowActivity' })
export type WorkflowActivity = z.infer<typeof WorkflowActivity>

export const AgentActivity = z
  .object({
    agentId: z.string(),
    runs: z
      .array(
        z.object({
          runId: z.string(),
          status: AgentRunStatus,
          startedAt: Instant,
          endedAt: Instant.nullable(),
          traceId: z.string(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} runs, newest first`),
  })
  .meta({ id: 'AgentActivity' })
export type AgentActivity = z.infer<typeof AgentActivity>

export const ToolActivity = z
  .object({
    toolName: z.string(),
    runs: z
      .array(
        z.object({
          spanId: z.string(),
          traceId: z.string(),
          status: z.enum(['completed', 'error']),
          startedAt: Instant,
          durationMs: z.number(),
        }),
      )
      .describe(`The newest ${SHOWN_RUNS} calls, newest first`),
  })
  .meta({ id: 'ToolActivity' })
export type ToolActivity = z.infer<typeof ToolActivity>

export const activityEndpoints = endpoints({
  getActivity: {
    method: 'GET',
    path: '/observability/activity',
    ofAllUsers: true,
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
  listLastHour: {
    method: 'GET',
    path: '/observability/activity/last-hour',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Counts what ended in the last hour, in slices of 5 minutes',
    reply: {
      kind: 'data',
      schema: z
        .array(ActivitySlice)
        .describe(`${ACTIVITY_SLICES} slices, oldest first, the current one included; fewer on busy servers`),
    },
    errors: [],
  },
  listWorkflowActivity: {
    method: 'GET',
    path: '/observability/workflows',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns the newest executions of every workflow and the statuses of its newest 100',
    reply: { kind: 'data', schema: z.array(WorkflowActivity) },
    errors: [],
  },
  listAgentActivity: {
    method: 'GET',
    path: '/observability/agents',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns the newest runs of every agent',
    reply: { kind: 'data', schema: z.array(AgentActivity) },
    errors: [],
  },
  listToolActivity: {
    method: 'GET',
    path: '/observability/tools',
    ofAllUsers: true,
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns the newest calls of every tool since this machine was started',
    reply: { kind: 'data', schema: z.array(ToolActivity) },
    errors: [],
  },
})
