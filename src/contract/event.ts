import { z } from 'zod'
import { DECIDER_KINDS, RESUME_INTERFACES } from './access/decision.ts'
import { Instant, JsonSchemaDocument, StepId } from './fields.ts'
import { Compensation, CompensationReason, ExecutionStatus, StepType } from './status.ts'
import { ToolOutcome } from './tool-outcome.ts'

/** A place in the project's code, with the lines around it as they were when the code ran. */
export const ErrorLocation = z
  .object({
    file: z.string().describe('File, relative to the project'),
    line: z.int().describe('Line, from 1'),
    column: z.int().describe('Column, from 1'),
    frame: z.string().describe('Two lines of source before and after it, numbered; secrets are masked'),
  })
  .meta({ id: 'ErrorLocation' })
export type ErrorLocation = z.infer<typeof ErrorLocation>

/** The recorded form of an error thrown by user code. */
export const ExecutionError = z
  .object({
    message: z.string(),
    name: z.string(),
    code: z.union([z.string(), z.number()]).optional().describe('`code` of the error, if it had one'),
    stepId: z.string().optional().describe('Step that failed'),
    stack: z
      .string()
      .optional()
      .describe(
        'Stack trace with project-relative paths; not in production, and not in the streams of users',
      ),
    location: ErrorLocation.optional().describe('Where it was thrown in the project; present as `stack` is'),
    cause: z.unknown().optional().describe('Cause of the error'),
  })
  .meta({ id: 'ExecutionError' })
export type ExecutionError = z.infer<typeof ExecutionError>

/** The event that a suspended execution waits for. */
const AwaitedEventFields = {
  event: z.string().optional().describe('Name of the event that it waits for'),
  key: z.string().optional().describe('Key of the event that it waits for'),
}

/** Where the record of an execution does not fit the code. */
export const Misfit = z
  .object({ stepId: z.string().describe('Id of the step'), reason: z.string() })
  .meta({ id: 'Misfit' })
export type Misfit = z.infer<typeof Misfit>

/** What a suspended execution gives and waits for. */
export const SuspensionFields = {
  data: z.unknown().optional().describe('Suspend data of the step'),
  wakeAt: Instant.optional().describe('When it continues by itself'),
  ...AwaitedEventFields,
  misfits: z
    .array(Misfit)
    .readonly()
    .optional()
    .describe('With the reason `changed code`: where the record does not fit the code'),
  hint: z.string().optional().describe('With `misfits`: what can be done'),
}

export const Suspension = z
  .object({
    suspendedAt: Instant.describe('Time of the suspension'),
    reason: z.string().describe('Reason passed to suspend'),
    suspendedStepIndex: z.int().describe('Index of the suspended step, from 0'),
    stepId: z.string().describe('Id of the suspended step'),
    ...SuspensionFields,
  })
  .meta({ id: 'Suspension' })
export type Suspension = z.infer<typeof Suspension>

/** Names the step that a resume is for. */
export const SuspendedStep = z.object({
  stepId: StepId.optional().describe('Id of the suspended step, as a check'),
})

export const Waiting = z
  .object({
    reason: z.enum(['concurrency', 'rate']).describe('The limit of the workflow that it waits for'),
    since: Instant.describe('When it began to wait'),
    position: z.int().describe('Its position among those that wait for the same limit and key, from 1'),
  })
  .meta({ id: 'Waiting' })
export type Waiting = z.infer<typeof Waiting>

/** What a running execution waits for. */
export const ExecutionWaiting = z
  .object({
    reason: z
      .enum([...Waiting.shape.reason.options, 'suspected'])
      .describe(
        'The limit of the workflow; `suspected`: it was running at a crash of the process, and is tried again apart',
      ),
    since: Waiting.shape.since,
    position: Waiting.shape.position.optional(),
  })
  .meta({ id: 'ExecutionWaiting' })
export type ExecutionWaiting = z.infer<typeof ExecutionWaiting>

/** The response of execute, resume and replay. */
export const ExecutionResult = z
  .object({
    executionId: z.string(),
    startAt: Instant.describe('Start of the execution'),
    endAt: Instant.nullable().describe('End of the execution; null while it is suspended'),
    status: ExecutionStatus,
    result: z.unknown().describe('Output of the workflow when completed, otherwise null'),
    suspension: Suspension.optional().describe('Present when suspended'),
    error: ExecutionError.optional().describe('Present in the workflow-result event of a failed execution'),
    compensation: Compensation.optional().describe('How its compensations ended'),
  })
  .meta({ id: 'ExecutionResult' })
export type ExecutionResult = z.infer<typeof ExecutionResult>

/** The response of a resume to somebody who may resume the execution, but not read it. */
export const ResumedExecution = ExecutionResult.pick({ executionId: true, status: true }).meta({
  id: 'ResumedExecution',
})
export type ResumedExecution = z.infer<typeof ResumedExecution>

const userId = z.string().optional()

/** How an execution was last resumed. */
const Resumed = {
  resumedAs: z
    .enum(DECIDER_KINDS)
    .optional()
    .describe('As whom: a user; an operator, with the console key; code of the project; anyone'),
  resumedOver: z.enum(RESUME_INTERFACES).optional().describe('Over which interface'),
}

/** Who has accepted that an execution runs on with code that its record does not fit. */
export const AcceptedChanges = z
  .object({
    at: Instant,
    by: userId.describe('Id of the authenticated user'),
    as: Resumed.resumedAs,
    over: Resumed.resumedOver,
  })
  .meta({ id: 'AcceptedChanges' })
export type AcceptedChanges = z.infer<typeof AcceptedChanges>

/** The ids of the authenticated users who did something with an execution. */
export const Actors = {
  startedBy: userId.describe('Id of the authenticated user who started it'),
  replayedBy: userId.describe('Id of the authenticated user who started it as a replay'),
  suspendedBy: userId.describe('Id of the authenticated user who last suspended it'),
  resumedBy: userId.describe('Id of the authenticated user who last resumed it'),
  ...Resumed,
  cancelledBy: userId.describe('Id of the authenticated user who cancelled it'),
}
export type Actors = z.infer<z.ZodObject<typeof Actors>>

const { startedBy, replayedBy, suspendedBy, resumedBy, cancelledBy } = Actors
const base = { executionId: z.string(), timestamp: Instant }
const compensation = Compensation.optional()
const stepBase = {
  ...base,
  from: z.string().describe('Step id, such as `lines[3]` of an item'),
  path: z.string().optional().describe('Path of a step in a loop, of an item, or of a call within a step'),
}

/** Of what happens in the answer of an agent to a step. */
const answerBase = {
  ...base,
  stepId: z.string().describe('Id of the step that asks the agent'),
  path: z.string().optional().describe('Path of a step in a loop, of an item, or of a call within a step'),
  agentId: z.string().describe('Agent: it may be a sub-agent'),
  runId: z.string().describe('Id of its answer'),
}
const callBase = { ...answerBase, toolCallId: z.string(), toolName: z.string() }

/**
 * The SSE events of an execution, each with its sequence number as `id`. Those whose type begins with `agent-` are not
 * recorded, and have no `id`.
 */
export const ExecutionEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('workflow-start'),
      ...base,
      startedBy,
      replayedBy,
      origin: z
        .string()
        .optional()
        .describe(
          'What started it in place of a request: `code`, `schedule:` and the id of the schedule, or `event:` and the id of the event',
        ),
      input: z.unknown(),
    }),
    z.object({
      type: z.literal('step-start'),
      ...stepBase,
      stepIndex: z.int(),
      stepType: StepType,
      input: z.unknown(),
      attempt: z.int(),
    }),
    z.object({
      type: z.literal('step-complete'),
      ...stepBase,
      stepIndex: z.int(),
      stepType: StepType,
      output: z.unknown(),
      durationMs: z.number().describe('Duration of the step, without the time it was suspended'),
      attempt: z.int(),
    }),
    z.object({
      type: z.literal('step-error'),
      ...stepBase,
      stepIndex: z.int(),
      stepType: StepType,
      error: ExecutionError,
      attempt: z.int(),
      willRetry: z.boolean(),
    }),
    z.object({ type: z.literal('step-skipped'), ...stepBase, stepIndex: z.int(), stepType: StepType }),
    z.object({ type: z.literal('custom'), ...stepBase, name: z.string(), data: z.unknown() }),
    z.object({
      type: z.literal('workflow-suspended'),
      ...base,
      reason: z.string(),
      stepId: z.string(),
      stepIndex: z.int(),
      data: z.unknown().optional(),
      resumeSchema: JsonSchemaDocument.nullable(),
      wakeAt: Instant.optional(),
      ...AwaitedEventFields,
      misfits: SuspensionFields.misfits,
      hint: SuspensionFields.hint,
      suspendedBy,
    }),
    z.object({
      type: z.literal('workflow-resumed'),
      ...base,
      stepId: z.string(),
      resumedBy,
      ...Resumed,
      resumeData: z.unknown(),
      data: z.unknown().optional().describe('Data that replaced that of the step at a breakpoint'),
      acceptChanges: z
        .literal(true)
        .optional()
        .describe('It runs on with the code as it is, also where the record does not fit it'),
    }),
    z.object({ type: z.literal('workflow-queued'), ...base, reason: Waiting.shape.reason }),
    z.object({ type: z.literal('workflow-complete'), ...base, output: z.unknown() }),
    z.object({
      type: z.literal('workflow-compensating'),
      ...base,
      reason: CompensationReason,
      error: ExecutionError.optional(),
      cancelledBy,
    }),
    z.object({ type: z.literal('workflow-error'), ...base, error: ExecutionError, compensation }),
    z.object({
      type: z.literal('workflow-cancelled'),
      ...base,
      reason: z.string(),
      cancelledBy,
      compensation,
    }),
    z.object({ type: z.literal('workflow-result'), ...base, ...ExecutionResult.shape }),
    z.object({
      type: z.literal('agent-delta'),
      ...answerBase,
      id: z.string().describe('The same for all pieces of a text; a repeated model call begins a new one'),
      text: z.string(),
    }),
    z.object({ type: z.literal('agent-tool-call'), ...callBase, input: z.unknown() }),
    z.object({ type: z.literal('agent-tool-result'), ...callBase, ...ToolOutcome }),
    z.object({
      type: z.literal('agent-data'),
      ...callBase,
      name: z.string().describe('Type of the data part that the tool wrote, such as `data-progress`'),
      data: z.unknown(),
      id: z.string().optional(),
      transient: z.boolean().optional(),
    }),
  ])
  .meta({ id: 'ExecutionEvent' })
export type ExecutionEvent = z.infer<typeof ExecutionEvent>

/** An event in the record of an execution. */
export const RecordedEvent = z
  .looseObject({
    id: z.string().describe('Sequence number of the event in its execution'),
    type: z.string().describe('Type of the event, such as workflow-start'),
    name: z.string().describe('Name of the workflow, the step or the custom event'),
    from: z.string().describe('Step id, or the name of the workflow on workflow-level events'),
    startTime: Instant,
    endTime: Instant.optional().describe('Missing on start events'),
    status: z.string().describe('running, success, error, suspended, cancelled or skipped'),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
  })
  .meta({ id: 'RecordedEvent' })
export type RecordedEvent = z.infer<typeof RecordedEvent>
