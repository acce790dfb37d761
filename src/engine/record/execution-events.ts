import type { Actors, ExecutionError, Suspension } from '../../contract/event.ts'
import type { Compensation, CompensationReason, ExecutionStatus } from '../../contract/status.ts'
import { compensatedPath, isInRound, stepIdAt } from '../../contract/step-path.ts'
import { toIso } from '../../lib/clock.ts'
import { MIN_LARGE_CHARS } from '../../store/execution-store.ts'
import type { EventRow, EventValue, StepRow } from '../../store/execution-store.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import { WAYS_OUT } from '../../contract/changed-code.ts'
import type { CustomEvent, StepTask, SuspendRequest } from '../run/step-task.ts'
import type { EndingOutcome, RunOutcome, SuspendedOutcome } from '../run/outcome.ts'

/** An event without its execution, number and time. Members of `json` are JSON text already. */
export interface EventDraft {
  readonly type: string
  readonly from?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly json?: Readonly<Record<string, string>>
}

/** What starts an execution in place of a request: code, or the schedule or the event with this id. */
export type ExecutionOrigin = 'code' | `schedule:${string}` | `event:${string}`

const SCHEDULE = 'schedule:'

/** The id of the schedule that starts an execution; null when something else does. */
export function scheduleOf(origin: ExecutionOrigin | undefined): string | null {
  return origin?.startsWith(SCHEDULE) ? origin.slice(SCHEDULE.length) : null
}

/** Who started an execution: the ids of the users who started and who replayed it, and what did in place of a request. */
export interface Starter {
  readonly origin?: ExecutionOrigin | undefined
  readonly startedBy?: string | undefined
  readonly replayedBy?: string | undefined
}

/** The members that place an event in its execution. */
export interface EventIds {
  readonly executionId: string
  readonly seq: number
  /** ISO 8601. */
  readonly timestamp: string
}

/** The event as it is stored and sent. */
export function eventRow({ type, from, fields, json }: EventDraft, ids: EventIds): EventRow {
  const { executionId, seq, timestamp } = ids
  // ids hold no characters that JSON escapes
  let data = `{"type":"${type}","executionId":"${executionId}"`
  if (from !== undefined) data += `,"from":"${from}"`
  data += `,"timestamp":"${timestamp}"`
  const more = fields ? JSON.stringify(fields).slice(1, -1) : ''
  if (more !== '') data += `,${more}`
  let value: EventValue | undefined
  for (const member in json) {
    const text = json[member] as string
    data += `,"${member}":${text}`
    value = text.length < MIN_LARGE_CHARS ? undefined : { member, text }
  }
  return { seq, data: `${data}}`, value }
}

export function workflowStarted(input: string, by: Starter): EventDraft {
  return { type: 'workflow-start', fields: { ...by }, json: { input } }
}

export function workflowQueued(reason: string): EventDraft {
  return { type: 'workflow-queued', fields: { reason } }
}

/** The completed steps are compensated from now on, before the execution ends. */
export function workflowCompensating(reason: CompensationReason, ending: EndingOutcome): EventDraft {
  const because = ending.status === 'error' ? { error: ending.error } : { cancelledBy: ending.by }
  return { type: 'workflow-compensating', fields: { reason, ...because } }
}

export function stepStarted(task: StepTask, attempt: number): EventDraft {
  return { type: 'step-start', ...stepEvent(task, { attempt }), json: { input: task.input } }
}

/** `startedHereAt`: when this run began. The time for which a step was suspended before does not count. */
export function stepCompleted(place: EventPlace, row: StepRow, startedHereAt: number): EventDraft {
  const since = Math.max(row.startedAt, startedHereAt)
  const durationMs = Math.max(0, (row.endedAt ?? since) - since)
  return {
    type: 'step-complete',
    ...stepEvent(place, { durationMs, attempt: row.attempts }),
    json: { output: row.output ?? 'null' },
  }
}

export function stepFailed(
  place: EventPlace,
  failure: { error: ExecutionError; attempt: number; willRetry: boolean },
): EventDraft {
  return { type: 'step-error', ...stepEvent(place, failure) }
}

export function stepSkipped(place: EventPlace): EventDraft {
  return { type: 'step-skipped', ...stepEvent(place, {}) }
}

/** A step, or a call that its workflow does not declare. */
type EventPlace = PlacedStep & { readonly isCall?: boolean }

/** The members of all events of a step. The path of a step in rounds, and of a call, does not follow from its id. */
function stepEvent(
  { step, path, index, isCall = false }: EventPlace,
  fields: Readonly<Record<string, unknown>>,
): Pick<EventDraft, 'from' | 'fields'> {
  const inRound = isInRound(path)
  const from = step.was === undefined && !inRound ? step.id : stepIdAt(path)
  const hasPath = inRound || ((isCall || compensatedPath(path) !== undefined) && path !== from)
  const place = { stepIndex: index, stepType: step.type, ...fields }
  return { from, fields: hasPath ? { path, ...place } : place }
}

export function customEvent({ stepId, name, data }: CustomEvent): EventDraft {
  return { type: 'custom', from: stepId, fields: { name }, json: { data } }
}

interface Resumer {
  readonly resumeData: string | null
  readonly resumer: Pick<Actors, 'resumedBy' | 'resumedAs' | 'resumedOver'>
  /** Replaces the data of the step that waited at a breakpoint; JSON text. */
  readonly data: string | undefined
  readonly acceptChanges: boolean
}

export function workflowResumed(stepId: string, resumed: Resumer): EventDraft {
  const { resumeData, resumer, data, acceptChanges } = resumed
  return {
    type: 'workflow-resumed',
    fields: { stepId, ...resumer, ...(acceptChanges && { acceptChanges }) },
    json: { resumeData: resumeData ?? 'null', ...(data !== undefined && { data }) },
  }
}

/** The stored suspension: the public members, and those that resume needs. */
export interface StoredSuspension extends Suspension {
  /** Path of its step. */
  readonly path: string
  /** JSON Schema of the resume data; null when none is requested. */
  readonly resumeSchema?: unknown
  /** The id of the user who requested it. */
  readonly by?: string | undefined
}

export function storedSuspension(outcome: SuspendedOutcome): StoredSuspension {
  const { place, request, resumeSchema } = outcome
  return { ...suspensionOf(outcome), path: place.path, resumeSchema, by: request.by }
}

/** The public members of a suspension. */
export function suspensionOf(outcome: SuspendedOutcome): Suspension {
  const { at, place, request } = outcome
  return {
    suspendedAt: toIso(at),
    reason: request.reason,
    suspendedStepIndex: place.index,
    stepId: stepIdAt(place.path),
    ...(request.data !== null && { data: JSON.parse(request.data) as unknown }),
    ...(request.wakeAt !== undefined && { wakeAt: toIso(request.wakeAt) }),
    ...awaitedEvent(request),
    ...misfitsOf(request),
  }
}

/** The name and the key of the event that a suspension waits for. */
export function awaitedEvent<
  Awaited extends { readonly event?: string | undefined; readonly key?: string | undefined },
>({ event, key }: Awaited): { event?: string; key?: string } {
  return { ...(event !== undefined && { event }), ...(key !== undefined && { key }) }
}

function misfitsOf({ misfits }: SuspendRequest): Pick<Suspension, 'misfits' | 'hint'> {
  return misfits ? { misfits, hint: WAYS_OUT } : {}
}

/** The last two events of a run: its outcome, and the result. */
export function outcomeEvents(outcome: RunOutcome, startedAt: number): EventDraft[] {
  const result = {
    startAt: toIso(startedAt),
    endAt: outcome.status === 'suspended' ? null : toIso(outcome.at),
    status: outcome.status satisfies ExecutionStatus,
    ...(outcome.status === 'suspended' && { suspension: suspensionOf(outcome) }),
    ...(outcome.status === 'error' && { error: outcome.error }),
    ...compensated(outcome),
  }
  const output = outcome.status === 'completed' ? outcome.output : 'null'
  return [outcomeEvent(outcome), { type: 'workflow-result', fields: result, json: { result: output } }]
}

function compensated(outcome: RunOutcome): { compensation?: Compensation } {
  return 'compensation' in outcome ? { compensation: outcome.compensation } : {}
}

function outcomeEvent(outcome: RunOutcome): EventDraft {
  switch (outcome.status) {
    case 'completed':
      return { type: 'workflow-complete', json: { output: outcome.output } }
    case 'error':
      return { type: 'workflow-error', fields: { error: outcome.error, ...compensated(outcome) } }
    case 'cancelled':
      return {
        type: 'workflow-cancelled',
        fields: { reason: outcome.reason, cancelledBy: outcome.by, ...compensated(outcome) },
      }
    case 'suspended': {
      const { place, request, resumeSchema } = outcome
      const { reason, by: suspendedBy } = request
      const wakeAt = request.wakeAt === undefined ? undefined : toIso(request.wakeAt)
      return {
        type: 'workflow-suspended',
        fields: {
          reason,
          stepId: stepIdAt(place.path),
          stepIndex: place.index,
          resumeSchema,
          suspendedBy,
          wakeAt,
          ...awaitedEvent(request),
          ...misfitsOf(request),
        },
        ...(request.data !== null && { json: { data: request.data } }),
      }
    }
  }
}
