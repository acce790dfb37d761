import { metadataFilterProblem } from '../metadata.ts'
import { z } from 'zod'
import { Usage } from '../agent-event.ts'
import { PauseAt, PauseAtOption, ResumeBodyOptions } from '../breakpoints/pause-at.ts'
import { endpoints } from '../endpoint.ts'
import { StepWait } from '../step-wait.ts'
import {
  AcceptedChanges,
  Actors,
  ExecutionError,
  ExecutionEvent,
  ExecutionResult,
  ResumedExecution,
  RecordedEvent,
  Suspension,
  ExecutionWaiting,
  SuspensionFields,
} from '../event.ts'
import {
  AfterQuery,
  CreatedQuery,
  ExecutionParams,
  Id,
  IncludeQuery,
  Instant,
  JsonObject,
  PageQuery,
  StepId,
  wholeNumber,
} from '../fields.ts'
import { HOOKS } from '../step-path.ts'
import {
  Compensation,
  Compensating,
  ExecutionStatus,
  LoopProgress,
  OmittedValue,
  StepStatus,
  StepType,
} from '../status.ts'
import { CancelPending, CancelResult, SuspendPending, SuspendResult } from './end-results.ts'
import { Erased } from './erasure.ts'
import { SearchText } from './search.ts'
import { ExecutionStarted, StartHeaders } from './workflow.ts'

/** An execution without its steps, as listed. */
const WAITS =
  'Present while it waits for a limit of its workflow, or for its trial after a crash of the process'

const CompensationFields = {
  compensating: Compensating.optional().describe('Present while completed steps are compensated'),
  compensation: Compensation.optional().describe('How the compensations ended; missing without any'),
}

export const ExecutionRecord = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    workflowName: z.string(),
    status: ExecutionStatus,
    input: z.unknown().describe('Input of the workflow'),
    metadata: z
      .looseObject({ traceId: z.string(), spanId: z.string() })
      .describe('Trace and root span of the execution, and the metadata that it was given'),
    events: z.array(RecordedEvent).describe('Workflow-level events in a list; all events in a single record'),
    output: z.unknown().optional().describe('Output of the workflow, when completed'),
    createdAt: Instant,
    updatedAt: Instant,
    endedAt: Instant.optional().describe('End of the execution, when completed, failed or cancelled'),
    error: ExecutionError.optional().describe('Error of a failed execution'),
    suspension: Suspension.optional().describe('Present when suspended'),
    waiting: ExecutionWaiting.optional().describe(WAITS),
    ...CompensationFields,
    usage: Usage.optional().describe('Sum of the ended agent runs of its steps; missing when there are none'),
    userId: z.string().optional(),
    conversationId: z.string().optional(),
    ownerId: z
      .string()
      .optional()
      .describe("Id of the authenticated user whom it belongs to; missing when it is anyone's"),
    ...Actors,
    timesOutAt: Instant.optional().describe(
      'When it ends with `WorkflowTimeoutError`, by the `timeout` of its workflow',
    ),
    acceptedChanges: AcceptedChanges.optional().describe(
      'Who has accepted that the record does not fit the changed code; missing: nobody',
    ),
    parentExecutionId: z.string().optional().describe('Execution that started this one as a step'),
    scheduleId: z.string().optional().describe('Schedule that started it'),
    forkedFrom: z
      .object({
        executionId: z.string(),
        stepId: z.string(),
        pinned: z.literal(true).optional().describe('A save made the replay, as the execution is pinned'),
      })
      .optional()
      .describe('Execution and step that this one is a replay of'),
    pauseAt: PauseAt.optional().describe('Ids of the steps before which it suspends; `*` for every step'),
    definitionHash: z.string().describe('Hash of the steps that the execution was started with'),
    omitted: z
      .array(OmittedValue)
      .optional()
      .describe(
        'In a list: what is above 256 KiB and only in the single record; of events, some are left out. In a single record `events`: it has the first 10,000, or with `steps` the workflow-level ones, and the stream has all',
      ),
  })
  .meta({ id: 'ExecutionRecord' })
/** An execution, as lists have it. */
export type ExecutionRecord = z.infer<typeof ExecutionRecord>

export const StepRecord = z
  .object({
    stepId: z.string(),
    path: z.string().describe('Step ids from the outermost step to this one, joined by "/"'),
    name: z.string(),
    type: StepType,
    status: StepStatus,
    input: z.unknown(),
    output: z.unknown().optional().describe('Result of the step, when completed'),
    error: ExecutionError.optional().describe('Error of the last attempt'),
    attempts: z.int().describe('Number of attempts, from 1'),
    startTime: Instant,
    endTime: Instant.nullable().describe('End of the step; null while it has not ended'),
    durationMs: z.number().nullable().describe('Duration, without the time it was suspended'),
    childExecutionId: z.string().optional().describe('Execution that an andWorkflow step started'),
    compensates: z.string().optional().describe('Path of the step that a compensation undoes'),
    progress: LoopProgress.optional().describe('Of an andForEach, an andDoWhile or an andDoUntil step'),
  })
  .meta({ id: 'StepRecord' })
export type StepRecord = z.infer<typeof StepRecord>

export const HookRecord = z
  .object({
    hook: z.enum(HOOKS),
    ...StepRecord.pick({
      status: true,
      error: true,
      attempts: true,
      startTime: true,
      endTime: true,
      durationMs: true,
    }).shape,
    steps: z.array(StepRecord).optional().describe('Recorded calls of the hook; missing when it made none'),
  })
  .meta({ id: 'HookRecord' })
export type HookRecord = z.infer<typeof HookRecord>

/** The most steps of a record in one response. */
export const MAX_STEPS = 1000

/** A page of the steps of a record. */
const StepsQuery = z.object({
  steps: wholeNumber({ min: 0, max: MAX_STEPS })
    .optional()
    .describe(
      'Maximum number of steps. With it, or `stepsOffset`, the record has workflow-level events only. Default: all, or 1,000 with `stepsOffset`',
    ),
  stepsOffset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Number of steps to skip; default 0'),
})

export const ExecutionDetail = ExecutionRecord.extend({
  context: JsonObject.describe('Context data of the execution'),
  waits: z
    .array(StepWait)
    .optional()
    .describe('When suspended: what can be resumed; with several, `options.stepId` of a resume names one'),
  steps: z
    .array(StepRecord)
    .describe('Steps that have started, nested ones included, in the order of their start'),
  stepsCount: z.int().optional().describe('How many steps there are, when the query asks for a page of them'),
  hooks: z
    .array(HookRecord)
    .optional()
    .describe('Hooks that were called after the end of the execution; missing before, and without any'),
  resumeUrl: z
    .string()
    .optional()
    .describe(
      'Signed link to a page that resumes the suspended execution, for whoever may read and resume it; missing where there is none',
    ),
}).meta({ id: 'ExecutionDetail' })
/** An execution with its steps. */
export type ExecutionDetail = z.infer<typeof ExecutionDetail>

export const ExecutionState = z
  .object({
    executionId: z.string(),
    workflowId: z.string(),
    status: ExecutionStatus,
    startAt: Instant.describe('Start of the execution'),
    suspension: z
      .object({
        suspendedAt: Instant,
        reason: z.string(),
        stepIndex: z.int(),
        stepId: z.string(),
        ...SuspensionFields,
      })
      .optional()
      .describe('Present when suspended'),
    pauseAt: ExecutionRecord.shape.pauseAt,
    waiting: ExecutionWaiting.optional().describe(WAITS),
    ...CompensationFields,
    progress: z
      .array(LoopProgress.extend({ stepId: z.string() }))
      .optional()
      .describe('Steps with items or rounds that have not ended'),
    input: z.unknown().describe('Input of the workflow'),
    context: JsonObject.describe('Context data of the execution'),
  })
  .meta({ id: 'ExecutionState' })
/** State of an execution. */
export type ExecutionState = z.infer<typeof ExecutionState>

/** The filters of all lists of executions. Besides, `metadata.<name>` is the value of a member of the metadata. */
export const ExecutionFilters = z.object({
  workflowId: z.string().optional().describe('Only executions of this workflow'),
  status: ExecutionStatus.optional().describe('Only executions with this status'),
  ...CreatedQuery.shape,
  userId: z.string().optional().describe('Only executions of this user'),
  conversationId: z.string().optional().describe('Only executions of this conversation'),
  parentExecutionId: Id.optional().describe('Only child executions of this execution'),
  forkedFrom: Id.optional().describe('Only replays of this execution'),
  failure: z.string().optional().describe('Only executions of this failure, and their replays'),
  scheduleId: z.string().optional().describe('Only executions that this schedule started'),
  needsInput: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: only those that wait for a person; `false`: only those that wait for a time or an event',
    ),
  q: SearchText.optional(),
})

/** The filters of a list, as a query. */
export const ExecutionQuery = ExecutionFilters.extend(PageQuery.shape)
  .catchall(z.string().optional())
  .superRefine((query, context) => {
    for (const name of Object.keys(query)) {
      const message = metadataFilterProblem(name)
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message })
    }
  })

const FILTERS = Object.keys(ExecutionFilters.shape)

/** The filters of a list, as they choose executions for a change: an unknown one must not be ignored. */
const ChosenExecutions = ExecutionFilters.catchall(z.union([z.string(), z.number(), z.boolean()]).optional())
  .superRefine((filter, context) => {
    const names = Object.keys(filter)
    for (const name of names) {
      const isKnown = FILTERS.includes(name) || name.startsWith('metadata.')
      const message = metadataFilterProblem(name) ?? (isKnown ? undefined : 'Is not a filter')
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message })
    }
    if (names.length === 0)
      context.addIssue({ code: 'custom', message: 'Must have a filter, such as status or workflowId' })
  })
  .describe(
    'The filters of the list, such as `status`, `workflowId`, `to` and `metadata.<name>`; at least one',
  )

const FailedChange = z.object({ executionId: z.string(), error: z.string().describe('Why it was left out') })

/** The maximum number of executions that one request cancels, and replays. */
export const MAX_CANCELLED_AT_ONCE = 10_000
export const MAX_REPLAYED_AT_ONCE = 1000

export const ManyCancelled = z
  .object({
    matched: z.int().describe('Executions that the filter finds, and that have not ended'),
    cancelled: z
      .array(z.string())
      .describe(`Ids of those that were cancelled, at most ${MAX_CANCELLED_AT_ONCE} in one request`),
    failed: z.array(FailedChange),
  })
  .meta({ id: 'ManyCancelled' })

export const ManyReplayed = z
  .object({
    matched: z.int().describe('Executions that the filter finds, and that have ended'),
    replayed: z.array(
      z.object({
        executionId: z.string().describe('Id of the new execution'),
        forkedFrom: z.string().describe('Id of the one that it replays'),
      }),
    ),
    failed: z.array(FailedChange),
  })
  .meta({ id: 'ManyReplayed' })

const DryRun = z.boolean().optional().describe('Only return how many the filter finds')

const Reason = z.object({ reason: z.string().max(4096).optional().describe('Reason, for the record') })

const follow = {
  method: 'GET',
  tag: 'Executions',
  params: ExecutionParams,
  query: AfterQuery.extend(IncludeQuery.shape),
  action: 'stream',
  reply: { kind: 'events', schema: ExecutionEvent },
  errors: [400, 404],
} as const

export const executionEndpoints = endpoints({
  listExecutions: {
    method: 'GET',
    path: '/workflows/executions',
    group: 'management',
    tag: 'Executions',
    summary: 'Lists executions, newest first',
    query: ExecutionQuery,
    lists: 'records',
    reply: { kind: 'data', schema: z.array(ExecutionRecord), paged: true },
    errors: [400],
  },
  cancelExecutions: {
    method: 'POST',
    path: '/workflows/executions/cancel',
    group: 'observability',
    tag: 'Executions',
    summary: 'Cancels the executions that a filter finds',
    body: z.object({ filter: ChosenExecutions, dryRun: DryRun, ...Reason.shape }),
    reply: { kind: 'data', schema: ManyCancelled },
    errors: [400, 413, 415],
  },
  replayExecutions: {
    method: 'POST',
    path: '/workflows/executions/replay',
    group: 'observability',
    decides: 'http',
    tag: 'Executions',
    summary: 'Starts a replay of each execution that a filter finds, without waiting for them',
    body: z.object({
      filter: ChosenExecutions,
      dryRun: DryRun,
      stepId: StepId.optional().describe(
        'Id of the step to start from. Default: the step that failed, else the first one',
      ),
    }),
    reply: { kind: 'data', schema: ManyReplayed },
    errors: [400, 413, 415],
  },
  getExecutionState: {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId/state',
    action: 'read',
    openByContract: true,
    group: 'management',
    tag: 'Executions',
    summary: 'Returns the state of an execution',
    params: ExecutionParams,
    reply: { kind: 'data', schema: ExecutionState },
    errors: [400, 404],
  },
  getExecution: {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId',
    action: 'read',
    group: 'inspection',
    tag: 'Executions',
    summary: 'Returns an execution with its steps and events',
    params: ExecutionParams,
    query: StepsQuery,
    reply: { kind: 'data', schema: ExecutionDetail },
    errors: [400, 404],
  },
  followExecution: {
    ...follow,
    path: '/workflows/:id/executions/:executionId/stream',
    group: 'inspection',
    summary: 'Streams the events of an execution, past ones first, until it ends',
  },
  suspendExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/suspend',
    action: 'suspend',
    group: 'execution',
    tag: 'Executions',
    summary: 'Suspends a running execution at its next step boundary',
    params: ExecutionParams,
    body: Reason,
    bodyOptional: true,
    reply: { kind: 'data', schema: SuspendResult, accepted: SuspendPending },
    errors: [400, 404, 409, 413, 415],
  },
  resumeExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/resume',
    action: 'resume',
    decides: 'http',
    group: 'execution',
    tag: 'Executions',
    summary: 'Resumes a suspended execution and waits for its result',
    params: ExecutionParams,
    body: z.object({
      resumeData: z
        .unknown()
        .optional()
        .describe('Data for the suspended step, validated by its resume schema'),
      options: ResumeBodyOptions.optional(),
    }),
    bodyOptional: true,
    consoleOptions: ['data', 'pauseAt', 'acceptChanges'],
    reply: { kind: 'data', schema: ExecutionResult, unreadable: ResumedExecution },
    errors: [400, 404, 409, 413, 415],
  },
  cancelExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/cancel',
    action: 'cancel',
    group: 'execution',
    tag: 'Executions',
    summary: 'Cancels a running or suspended execution, after the compensations of its completed steps',
    params: ExecutionParams,
    body: Reason.extend({
      force: z
        .boolean()
        .optional()
        .describe('Leave the compensations of completed steps, also those that have begun'),
    }),
    bodyOptional: true,
    reply: { kind: 'data', schema: CancelResult, accepted: CancelPending },
    errors: [400, 404, 413, 415],
  },
  replayExecution: {
    method: 'POST',
    path: '/workflows/:id/executions/:executionId/replay',
    action: 'replay',
    decides: 'http',
    group: 'execution',
    tag: 'Executions',
    summary:
      'Starts a new execution from a step, with copies of the results before it, and waits for its result',
    params: ExecutionParams,
    headers: StartHeaders,
    body: z.object({
      stepId: StepId.describe('Id of the step to start from; of an item or a round such as `lines[3]`'),
      input: z.unknown().optional().describe('Input for that step, instead of the recorded one'),
      options: z.object({ pauseAt: PauseAtOption }).optional(),
    }),
    consoleOptions: ['pauseAt'],
    reply: { kind: 'data', schema: ExecutionResult, accepted: ExecutionStarted },
    errors: [400, 404, 409, 413, 415, 429],
  },
  observeExecutions: {
    method: 'GET',
    path: '/observability/executions',
    group: 'observability',
    tag: 'Observability',
    summary: 'Lists executions, with the console key',
    query: ExecutionQuery,
    lists: 'records',
    reply: { kind: 'data', schema: z.array(ExecutionRecord), paged: true },
    errors: [400],
  },
  observeExecution: {
    method: 'GET',
    path: '/observability/executions/:executionId',
    action: 'read',
    group: 'observability',
    tag: 'Observability',
    summary: 'Returns an execution with its steps and events, with the console key',
    params: z.object({ executionId: Id.describe('Execution id') }),
    query: StepsQuery,
    reply: { kind: 'data', schema: ExecutionDetail },
    errors: [400, 404],
  },
  deleteExecution: {
    method: 'DELETE',
    path: '/observability/executions/:executionId',
    action: 'delete',
    group: 'observability',
    tag: 'Observability',
    summary:
      'Deletes an execution that has ended, with its child executions, agent runs, events, log records and spans',
    params: z.object({ executionId: Id.describe('Execution id') }),
    reply: { kind: 'data', schema: Erased },
    errors: [400, 404, 409],
  },
  followObservedExecution: {
    ...follow,
    path: '/observability/executions/:executionId/stream',
    group: 'observability',
    tag: 'Observability',
    summary: 'Streams the events of an execution, with the console key',
    params: z.object({ executionId: Id.describe('Execution id') }),
  },
})
