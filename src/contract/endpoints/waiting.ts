import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Waiting } from '../event.ts'
import { Instant, wholeNumber } from '../fields.ts'

/** The maximum numbers in a response: of waiting executions per queue, of events, and of executions per event. */
export const MAX_QUEUED_SHOWN = 100
export const MAX_EVENTS = 200
export const MAX_TAKERS = 20
const DEFAULT_EVENTS = 50

export const QueuedExecution = z
  .object({
    executionId: z.string(),
    key: z.string().nullable().describe('Key of the limit that it waits for; null without a key'),
    ...Waiting.shape,
  })
  .meta({ id: 'QueuedExecution' })
export type QueuedExecution = z.infer<typeof QueuedExecution>

export const WorkflowQueue = z
  .object({
    workflowId: z.string(),
    concurrency: z
      .int()
      .nullable()
      .describe('Executions that run at the same time, of each key; null: no limit'),
    rateLimit: z
      .object({ limit: z.int(), perMs: z.int().describe('Window in milliseconds') })
      .nullable()
      .describe('Executions that start in any window, of each key; null: no limit'),
    running: z.int().describe('Executions that have a slot'),
    waiting: z.int().describe('Executions that wait for one'),
    queued: z.array(QueuedExecution).describe(`First ${MAX_QUEUED_SHOWN} of those that wait`),
  })
  .meta({ id: 'WorkflowQueue' })
export type WorkflowQueue = z.infer<typeof WorkflowQueue>

export const EventMisfit = z
  .object({
    workflowId: z.string(),
    reason: z.string().describe('Why the event did not start the workflow'),
  })
  .meta({ id: 'EventMisfit' })
export type EventMisfit = z.infer<typeof EventMisfit>

export const ReceivedEvent = z
  .object({
    id: z.string().describe('Id that its sender chose, or the one it got'),
    name: z.string(),
    key: z.string().nullable(),
    data: z.unknown(),
    at: Instant.describe('Time at which it was received'),
    senderId: z.string().nullable().describe('Id of the user who sent it; null without one'),
    takenBy: z
      .array(z.string())
      .describe(`First ${MAX_TAKERS} executions that took it, or that it has started or cancelled`),
    misfits: z
      .array(EventMisfit)
      .optional()
      .describe('Workflows that it would have started, if its data and its sender suited them'),
  })
  .meta({ id: 'ReceivedEvent' })
export type ReceivedEvent = z.infer<typeof ReceivedEvent>

export const waitingEndpoints = endpoints({
  listQueues: {
    method: 'GET',
    path: '/observability/queues',
    group: 'observability',
    tag: 'Observability',
    lists: 'records',
    summary: 'Lists the workflows with limits: how many executions run and wait, and which wait next',
    reply: { kind: 'data', schema: z.array(WorkflowQueue) },
    errors: [],
  },
  listEvents: {
    method: 'GET',
    path: '/observability/events',
    group: 'observability',
    tag: 'Observability',
    lists: 'records',
    summary: 'Lists the stored events, newest first, with the executions that took them',
    query: z.object({
      limit: wholeNumber({ min: 1, max: MAX_EVENTS })
        .optional()
        .describe(`Maximum number of events; default ${DEFAULT_EVENTS}`),
    }),
    reply: { kind: 'data', schema: z.array(ReceivedEvent) },
    errors: [400],
  },
})

export function eventLimit(limit: string | undefined): number {
  return Number(limit ?? DEFAULT_EVENTS)
}
