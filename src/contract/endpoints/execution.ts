import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { ExecutionError, ExecutionEvent, ExecutionResult, RecordedEvent, Suspension } from '../event.ts'
import { AfterQuery, CreatedQuery, ExecutionParams, Id, Instant, JsonObject, PageQuery } from '../fields.ts'
import { ExecutionStatus, StepStatus, StepType } from '../status.ts'

/** A record without its steps: the item of a list. */
export const ExecutionRecord = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    workflowName: z.string(),
    status: ExecutionStatus,
    input: z.unknown(),
    metadata: z.looseObject({ traceId: z.string(), spanId: z.string() }),
    events: z.array(RecordedEvent).describe('Workflow-level events; a single record has them all'),
    output: z.unknown().optional(),
    createdAt: Instant,
    updatedAt: Instant,
    endedAt: Instant.optional(),
    error: ExecutionError.optional(),
    suspension: Suspension.optional(),
    userId: z.string().optional(),
    conversationId: z.string().optional(),
    parentExecutionId: z.string().optional(),
    forkedFrom: z.object({ executionId: z.string(), stepId: z.string() }).optional(),
    definitionHash: z.string(),
  })
  .meta({ id: 'ExecutionRecord' })
export type ExecutionRecord = z.infer<typeof ExecutionRecord>

export const StepRecord = z
  .object({
    stepId: z.string(),
    path: z.string().describe('Ids from the outermost step to this one, joined by "/"'),
    name: z.string(),
    type: StepType,
    status: StepStatus,
    input: z.unknown(),
    output: z.unknown().optional(),
    error: ExecutionError.optional(),
    attempts: z.int(),
    startTime: Instant,
    endTime: Instant.nullable(),
    durationMs: z.number().nullable(),
    childExecutionId: z.string().optional(),
  })
  .meta({ id: 'StepRecord' })
export type StepRecord = z.infer<typeof StepRecord>

export const ExecutionDetail = ExecutionRecord.extend({
  context: JsonObject,
  steps: z.array(StepRecord),
}).meta({ id: 'ExecutionDetail' })
export type ExecutionDetail = z.infer<typeof ExecutionDetail>

export const ExecutionState = z
  .object({
    executionId: z.string(),
    workflowId: z.string(),
    status: ExecutionStatus,
    startAt: Instant,
    suspension: z
      .object({
        suspendedAt: Instant,
        reason: z.string(),
        stepIndex: z.int(),
        stepId: z.string(),
        data: z.unknown().optional(),
      })
      .optional(),
    input: z.unknown(),
    context: JsonObject,
  })
  .meta({ id: 'ExecutionState' })
export type ExecutionState = z.infer<typeof ExecutionState>

export const SuspendResult = z.object({
  executionId: z.string(),
  status: z.literal('suspended'),
  suspension: z.object({ suspendedAt: Instant, reason: z.string() }),
})
export type SuspendResult = z.infer<typeof SuspendResult>

export const SuspendPending = z.object({
  executionId: z.string(),
  status: z.literal('running'),
  suspension: z.object({ requestedAt: Instant, reason: z.string() }),
})
export type SuspendPending = z.infer<typeof SuspendPending>

export const CancelResult = z.object({
  executionId: z.string(),
  status: z.literal('cancelled'),
  cancelledAt: Instant,
  reason: z.string(),
})
export type CancelResult = z.infer<typeof CancelResult>

/** The filters of every listing of executions. */
export const ExecutionQuery = z.object({
  workflowId: z.string().optional().describe('Only this workflow'),
  status: ExecutionStatus.optional(),
  ...CreatedQuery.shape,
  userId: z.string().optional(),
  conversationId: z.string().optional(),
  parentExecutionId: Id.optional().describe('Only what this execution ran as steps of its own'),
  forkedFrom: Id.optional().describe('Only replays of this execution'),
  ...PageQuery.shape,
})

const Reason = z.object({ reason: z.string().max(4096).optional() })

const follow = {
  method: 'GET',
  tag: 'Executions',
  params: ExecutionParams,
  query: AfterQuery,
  reply: { kind: 'events', schema: ExecutionEvent },
  errors: [400, 404],
} as const

export const executionEndpoints = endpoints({
  listExecutions: {
    method: 'GET',
    path: '/workflows/executions',
    group: 'management',
    tag: 'Executions',
    summary: 'List executions, newest first',
    query: ExecutionQuery,
    reply: { kind: 'data', schema: z.array(ExecutionRecord), paged: true },
    errors: [400],
  },
  getExecutionState: {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId/state',
    group: 'management',
    tag: 'Executions',
    summary: 'State of an execution',
    params: ExecutionParams,
    reply: { kind: 'data', schema: ExecutionState },
    errors: [400, 404],
  },
  getExecution: {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId',
    group: 'inspection',
    tag: 'Executions',
    summary: 'Whole record of an execution with its steps and events',
    params: ExecutionParams,
    reply: { kind: 'data', schema: ExecutionDetail },
    errors: [400, 404],
  },
  followExecution: {
    ...follow,
    path: '/workflows/:id/executions/:executionId/stream',
    group: 'inspection',
    summary: 'Events of an execution, replayed and then followed until it ends',
  },
  suspendExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/suspend',
    group: 'execution',
    tag: 'Executions',
    summary: 'Suspend a running execution at its next step boundary',
    params: ExecutionParams,
    body: Reason,
    bodyOptional: true,
    reply: { kind: 'data', schema: SuspendResult, accepted: SuspendPending },
    errors: [400, 404, 409, 413, 415],
  },
  resumeExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/resume',
    group: 'execution',
    tag: 'Executions',
    summary: 'Resume a suspended execution',
    params: ExecutionParams,
    body: z.object({
      resumeData: z.unknown().optional().describe("Checked by the suspended step's resume schema"),
      options: z.object({ stepId: Id.optional().describe('Must be the suspended step') }).optional(),
    }),
    bodyOptional: true,
    reply: { kind: 'data', schema: ExecutionResult },
    errors: [400, 404, 409, 413, 415],
  },
  cancelExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/cancel',
    group: 'execution',
    tag: 'Executions',
    summary: 'Cancel a running or suspended execution at once',
    params: ExecutionParams,
    body: Reason,
    bodyOptional: true,
    reply: { kind: 'data', schema: CancelResult },
    errors: [400, 404, 413, 415],
  },
  replayExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/replay',
    group: 'execution',
    tag: 'Executions',
    summary: 'Run again from a step, as a new execution that copies the earlier results',
    params: ExecutionParams,
    body: z.object({
      stepId: Id,
      input: z.unknown().optional().describe("Replaces that step's input"),
    }),
    reply: { kind: 'data', schema: ExecutionResult },
    errors: [400, 404, 409, 413, 415],
  },
  observeExecutions: {
    method: 'GET',
    path: '/observability/executions',
    group: 'observability',
    tag: 'Observability',
    summary: 'List executions, for the console',
    query: ExecutionQuery,
    reply: { kind: 'data', schema: z.array(ExecutionRecord), paged: true },
    errors: [400],
  },
  observeExecution: {
    method: 'GET',
    path: '/observability/executions/:executionId',
    group: 'observability',
    tag: 'Observability',
    summary: 'Whole record of an execution, for the console',
    params: z.object({ executionId: Id.describe('Execution id') }),
    reply: { kind: 'data', schema: ExecutionDetail },
    errors: [400, 404],
  },
  followObservedExecution: {
    ...follow,
    path: '/observability/executions/:executionId/stream',
    group: 'observability',
    tag: 'Observability',
    summary: 'Events of an execution, for the console',
    params: z.object({ executionId: Id.describe('Execution id') }),
  },
})
