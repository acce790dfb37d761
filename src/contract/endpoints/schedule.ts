import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, Instant } from '../fields.ts'
import { ExecutionStatus } from '../status.ts'
import { ExecutionStarted } from './workflow.ts'

const LastRun = z.object({
  executionId: z.string(),
  scheduledAt: Instant.describe('Its instant, or the time at which it was triggered'),
  status: ExecutionStatus.nullable().describe('null when the execution was deleted'),
  endedAt: Instant.nullable(),
  error: z
    .string()
    .optional()
    .describe('Why there was none: something else had made the execution that has its id'),
})
export type LastRun = z.infer<typeof LastRun>

/** Length of `recentRuns`. */
export const RECENT_RUNS = 7

const RecentRun = z.object({ executionId: z.string(), status: ExecutionStatus, createdAt: Instant })

export const ScheduleDetail = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    cron: z.string().optional().describe('Cron expression; absent with `every`'),
    every: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Interval, as declared: a duration such as `15m`, or milliseconds'),
    timezone: z.string().describe('Time zone of the cron expression'),
    overlap: z.enum(['skip', 'queue', 'allow']).describe('What happens while the execution before it runs'),
    catchUp: z.enum(['none', 'last', 'all']).describe('Which missed instants are made up for'),
    paused: z.boolean(),
    next: z.array(Instant).describe('Next five instants; none while it is paused'),
    waiting: z.int().describe('Instants whose execution waits for the one before it'),
    lastRun: LastRun.nullable().describe('Newest execution, or newest instant at which there was none'),
    recentRuns: z
      .array(RecentRun)
      .describe(
        `The newest ${RECENT_RUNS} executions, newest first; the list of executions with \`scheduleId\` has all`,
      ),
  })
  .meta({ id: 'Schedule' })
export type ScheduleDetail = z.infer<typeof ScheduleDetail>

const params = z.object({ id: Id.describe('Schedule id') })

const change = {
  method: 'POST',
  group: 'schedules',
  tag: 'Schedules',
  params,
  reply: { kind: 'data', schema: ScheduleDetail },
  errors: [404, 409],
} as const

export const scheduleEndpoints = endpoints({
  listSchedules: {
    method: 'GET',
    path: '/schedules',
    lists: 'definitions',
    group: 'management',
    tag: 'Schedules',
    summary: 'Lists schedules, with their next instants and last execution',
    reply: { kind: 'data', schema: z.array(ScheduleDetail) },
    errors: [],
  },
  getSchedule: {
    method: 'GET',
    path: '/schedules/:id',
    action: 'read',
    group: 'management',
    tag: 'Schedules',
    summary: 'Returns a schedule',
    params,
    reply: { kind: 'data', schema: ScheduleDetail },
    errors: [404],
  },
  triggerSchedule: {
    ...change,
    path: '/schedules/:id/trigger',
    action: 'execute',
    summary: 'Starts an execution of a schedule now, also while it is paused',
    reply: { kind: 'data', schema: ExecutionStarted },
    errors: [400, 404, 409],
  },
  pauseSchedule: {
    ...change,
    path: '/schedules/:id/pause',
    action: 'suspend',
    summary: 'Pauses a schedule until it is resumed, also over restarts',
  },
  resumeSchedule: {
    ...change,
    path: '/schedules/:id/resume',
    action: 'resume',
    summary: 'Resumes a paused schedule with its first instant from now',
  },
})
