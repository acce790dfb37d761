import { z } from 'zod'
import { Instant, JsonSchemaDocument } from './fields.ts'
import { ExecutionStatus, StepType } from './status.ts'

/** What is recorded of something user code threw. */
export const ExecutionError = z
  .object({
    message: z.string(),
    name: z.string(),
    stepId: z.string().optional(),
    stack: z.string().optional().describe('Outside production, with project-relative paths'),
    cause: z.unknown().optional(),
  })
  .meta({ id: 'ExecutionError' })
export type ExecutionError = z.infer<typeof ExecutionError>

export const Suspension = z
  .object({
    suspendedAt: Instant,
    reason: z.string(),
    suspendedStepIndex: z.int(),
    stepId: z.string(),
    data: z.unknown().optional().describe("The step's suspend data"),
  })
  .meta({ id: 'Suspension' })
export type Suspension = z.infer<typeof Suspension>

/** Answer of execute, resume, replay. */
export const ExecutionResult = z
  .object({
    executionId: z.string(),
    startAt: Instant,
    endAt: Instant.nullable(),
    status: ExecutionStatus,
    result: z.unknown().describe('The output when completed, else null'),
    suspension: Suspension.optional(),
    error: ExecutionError.optional().describe('In the workflow-result event of a failed execution'),
  })
  .meta({ id: 'ExecutionResult' })
export type ExecutionResult = z.infer<typeof ExecutionResult>

const base = { executionId: z.string(), timestamp: Instant }
const stepBase = { ...base, from: z.string().describe('Step id') }

/** The SSE events of an execution, each sent with `id: <sequence>`. */
export const ExecutionEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('workflow-start'), ...base, input: z.unknown() }),
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
      durationMs: z.number().describe('What the step took, without the time it was suspended'),
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
    }),
    z.object({ type: z.literal('workflow-resumed'), ...base, stepId: z.string(), resumeData: z.unknown() }),
    z.object({ type: z.literal('workflow-complete'), ...base, output: z.unknown() }),
    z.object({ type: z.literal('workflow-error'), ...base, error: ExecutionError }),
    z.object({ type: z.literal('workflow-cancelled'), ...base, reason: z.string() }),
    z.object({ type: z.literal('workflow-result'), ...base, ...ExecutionResult.shape }),
  ])
  .meta({ id: 'ExecutionEvent' })
export type ExecutionEvent = z.infer<typeof ExecutionEvent>

/** The same events as an execution's record keeps them. */
export const RecordedEvent = z
  .looseObject({
    id: z.string().describe('The event sequence number in its execution'),
    type: z.string(),
    name: z.string(),
    from: z.string(),
    startTime: Instant,
    endTime: Instant.optional(),
    status: z.string(),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
  })
  .meta({ id: 'RecordedEvent' })
export type RecordedEvent = z.infer<typeof RecordedEvent>
