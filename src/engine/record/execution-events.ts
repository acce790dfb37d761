import type { ExecutionError, Suspension } from '../../contract/event.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { toIso } from '../../lib/clock.ts'
import type { EventRow, StepRow } from '../../store/execution-store.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { CustomEvent, StepTask, SuspendRequest } from '../run/durable-io.ts'

/** An event before it has a place in its execution. Members of `json` are JSON text already. */
export interface EventDraft {
  readonly type: string
  readonly from?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly json?: Readonly<Record<string, string>>
}

/** Where and when an event happens. */
export interface EventIds {
  readonly executionId: string
  readonly seq: number
  /** ISO 8601. */
  readonly timestamp: string
}

/** The event as it is stored and sent: `executionId` and `timestamp` come from where it happens. */
export function eventRow({ type, from, fields, json }: EventDraft, place: EventIds): EventRow {
  const { executionId, seq, timestamp } = place
  // ids have no characters that JSON escapes
  let data = `{"type":"${type}","executionId":"${executionId}"`
  if (from !== undefined) data += `,"from":"${from}"`
  data += `,"timestamp":"${timestamp}"`
  const more = fields ? JSON.stringify(fields).slice(1, -1) : ''
  if (more !== '') data += `,${more}`
  for (const key in json) data += `,"${key}":${json[key]}`
  return { seq, data: `${data}}` }
}

export function workflowStarted(input: string): EventDraft {
  return { type: 'workflow-start', json: { input } }
}

export function stepStarted({ step, index, input }: StepTask, attempt: number): EventDraft {
  return {
    type: 'step-start',
    from: step.id,
    fields: { stepIndex: index, stepType: step.type, attempt },
    json: { input },
  }
}

/** `takenUpAt`: when the run began. A step that was suspended before has taken no time until then. */
export function stepCompleted({ step, index }: PlacedStep, row: StepRow, takenUpAt: number): EventDraft {
  const since = Math.max(row.startedAt, takenUpAt)
  const durationMs = Math.max(0, (row.endedAt ?? since) - since)
  return {
    type: 'step-complete',
    from: step.id,
    fields: { stepIndex: index, stepType: step.type, durationMs, attempt: row.attempts },
    json: { output: row.output ?? 'null' },
  }
}

export function stepFailed(
  { step, index }: PlacedStep,
  failure: { error: ExecutionError; attempt: number; willRetry: boolean },
): EventDraft {
  return { type: 'step-error', from: step.id, fields: { stepIndex: index, stepType: step.type, ...failure } }
}

export function stepSkipped({ step, index }: PlacedStep): EventDraft {
  return { type: 'step-skipped', from: step.id, fields: { stepIndex: index, stepType: step.type } }
}

export function customEvent({ stepId, name, data }: CustomEvent): EventDraft {
  return { type: 'custom', from: stepId, fields: { name }, json: { data } }
}

export function workflowResumed(stepId: string, resumeData: string | null): EventDraft {
  return { type: 'workflow-resumed', fields: { stepId }, json: { resumeData: resumeData ?? 'null' } }
}

/** How a run came to rest. */
export type RunOutcome =
  | { readonly status: 'completed'; readonly at: number; readonly output: string }
  | { readonly status: 'error'; readonly at: number; readonly error: ExecutionError }
  | { readonly status: 'cancelled'; readonly at: number; readonly reason: string }
  | {
      readonly status: 'suspended'
      readonly at: number
      readonly place: PlacedStep
      readonly request: SuspendRequest
      readonly resumeSchema: unknown
    }

/** What is stored of a suspension besides what is shown of it. */
export interface StoredSuspension extends Suspension {
  /** Path of its step. */
  readonly path: string
  /** JSON Schema of what resume takes; null when it asks for nothing. */
  readonly resumeSchema?: unknown
}

export function storedSuspension(rest: Extract<RunOutcome, { status: 'suspended' }>): StoredSuspension {
  const { place, resumeSchema } = rest
  return { ...suspensionOf(rest), path: place.path, resumeSchema }
}

/** What is shown of a suspension. */
export function suspensionOf(rest: Extract<RunOutcome, { status: 'suspended' }>): Suspension {
  const { at, place, request } = rest
  return {
    suspendedAt: toIso(at),
    reason: request.reason,
    suspendedStepIndex: place.index,
    stepId: place.step.id,
    ...(request.data !== null && { data: JSON.parse(request.data) as unknown }),
  }
}

/** The last two events of a run that came to rest: what happened, and the result. */
export function outcomeEvents(rest: RunOutcome, startedAt: number): EventDraft[] {
  const result = {
    startAt: toIso(startedAt),
    endAt: rest.status === 'suspended' ? null : toIso(rest.at),
    status: rest.status satisfies ExecutionStatus,
    ...(rest.status === 'suspended' && { suspension: suspensionOf(rest) }),
    ...(rest.status === 'error' && { error: rest.error }),
  }
  const output = rest.status === 'completed' ? rest.output : 'null'
  return [outcomeEvent(rest), { type: 'workflow-result', fields: result, json: { result: output } }]
}

function outcomeEvent(rest: RunOutcome): EventDraft {
  switch (rest.status) {
    case 'completed':
      return { type: 'workflow-complete', json: { output: rest.output } }
    case 'error':
      return { type: 'workflow-error', fields: { error: rest.error } }
    case 'cancelled':
      return { type: 'workflow-cancelled', fields: { reason: rest.reason } }
    case 'suspended': {
      const { place, request, resumeSchema } = rest
      return {
        type: 'workflow-suspended',
        fields: { reason: request.reason, stepId: place.step.id, stepIndex: place.index, resumeSchema },
        ...(request.data !== null && { json: { data: request.data } }),
      }
    }
  }
}
