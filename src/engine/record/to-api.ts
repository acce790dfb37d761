import type { Usage } from '../../contract/agent-event.ts'
import type { AcceptedChanges, ExecutionError, RecordedEvent } from '../../contract/event.ts'
import type { Metadata } from '../../contract/metadata.ts'
import { actorsIn, toRecordedEvent } from '../../contract/fold-events.ts'
import type { SentEvent } from '../../contract/fold-events.ts'
import type {
  ExecutionDetail,
  ExecutionRecord,
  ExecutionState,
  HookRecord,
  StepRecord,
} from '../../contract/endpoints/execution.ts'
import type { StepWait } from '../../contract/step-wait.ts'
import { idOfKey } from '../../contract/access/user-key.ts'
import {
  HOOKS,
  compensatedPath,
  hookPath,
  isHookPath,
  isNestedIn,
  outerPath,
} from '../../contract/step-path.ts'
import { toIso } from '../../lib/clock.ts'
import type { EventRow, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { Page } from '../../store/page.ts'
import type { QueuePosition } from '../../store/queue-store.ts'
import { shownCompensation } from './compensation.ts'
import { shownSuspension } from './result.ts'
import { shownPauseAt } from '../breakpoints/breakpoints.ts'
import { decodeStored } from './values.ts'
import type { StepType } from '../../contract/status.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { SuspendRequest } from '../run/step-task.ts'
import { SLEEPING, WAITING } from '../../contract/wait-reasons.ts'
import { awaitedEvent } from './execution-events.ts'
import type { StoredSuspension } from './execution-events.ts'

const UNREADABLE_ERROR: ExecutionError = {
  name: 'UnreadableRecord',
  message: 'The record of the error is damaged',
}
const UNREADABLE_SUSPENSION: StoredSuspension = {
  suspendedAt: toIso(0),
  reason: 'The record of the suspension is damaged',
  suspendedStepIndex: 0,
  stepId: '',
  path: '',
}

/** It was in flight at a crash of its process, and waits for its trial since then. */
export interface Suspected {
  readonly reason: 'suspected'
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** What other tables have about an execution. */
export interface RecordParts {
  readonly waiting: QueuePosition | Suspected | undefined
  readonly usage: Usage | undefined
}

/** An execution as lists show it. */
export function executionRecord(
  row: ExecutionRow,
  rows: readonly EventRow[],
  { waiting, usage }: RecordParts,
): ExecutionRecord {
  const events = recordedEvents(row, rows)
  const ownerId = row.owner === null ? undefined : idOfKey(row.owner)
  return {
    id: row.id,
    workflowId: row.workflowId,
    workflowName: row.workflowName,
    status: row.status,
    input: decodeStored(row.input, null),
    metadata: {
      ...decodeStored<Metadata>(row.metadata ?? '{}', {}),
      traceId: row.traceId,
      spanId: row.spanId,
    },
    events,
    ...(row.output !== null && { output: decodeStored(row.output, null) }),
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    ...(row.endedAt !== null && { endedAt: toIso(row.endedAt) }),
    ...(row.error !== null && { error: decodeStored<ExecutionError>(row.error, UNREADABLE_ERROR) }),
    ...(row.suspension !== null && { suspension: shownSuspension(suspensionIn(row)) }),
    ...(waiting && { waiting: shownWaiting(waiting) }),
    ...shownCompensation(row),
    ...(usage && { usage }),
    ...(row.userId !== null && { userId: row.userId }),
    ...(row.conversationId !== null && { conversationId: row.conversationId }),
    ...(ownerId !== undefined && { ownerId }),
    ...actorsIn(events),
    ...(row.timesOutAt !== null && { timesOutAt: toIso(row.timesOutAt) }),
    ...(row.acceptedChanges !== null && {
      acceptedChanges: decodeStored<AcceptedChanges>(row.acceptedChanges, { at: toIso(0) }),
    }),
    ...(row.parentId !== null && { parentExecutionId: row.parentId }),
    ...(row.scheduleId !== null && { scheduleId: row.scheduleId }),
    ...(row.forkedFrom !== null && {
      forkedFrom: decodeStored(row.forkedFrom, { executionId: '', stepId: '' }),
    }),
    ...shownPauseAt(row.pauseAt),
    definitionHash: row.definitionHash,
  }
}

interface DetailRows extends RecordParts {
  readonly steps: readonly StepRow[]
  /** Of the steps; all without. */
  readonly page: Page | undefined
  readonly events: readonly EventRow[]
  /** Whether the step at a path is a recorded call. */
  readonly isCall: (path: string) => boolean
  /** The events by which it is listed; among `events`, unless these are too many. */
  readonly workflowEvents: readonly EventRow[]
}

/** An execution with its steps and events. */
export function executionDetail(
  row: ExecutionRow,
  { steps, page, events, workflowEvents, isCall, ...parts }: DetailRows,
): ExecutionDetail {
  const begun = begunSteps(steps)
  const shown = page ? begun.slice(page.offset, page.offset + page.limit) : begun
  const ended = endedRounds(steps)
  const hooks = hookRecords(steps)
  const waits = openWaits(row, steps, isCall)
  return {
    ...executionRecord(row, workflowEvents, { ...parts, waiting: parts.waiting ?? suspectedIn(row, steps) }),
    events: recordedEvents(row, events),
    context: decodeStored<Record<string, unknown>>(row.context, {}),
    steps: shown.map((step) => ({ ...stepRecord(step), ...progressOf(step, ended) })),
    ...(page && { stepsCount: begun.length }),
    ...(hooks.length > 0 && { hooks }),
    ...(waits.length > 0 && { waits }),
  }
}

/** Without hooks, and steps at a breakpoint. A step whose attempt continues when a call in it has its answer waits with it. */
function begunSteps(steps: readonly StepRow[]): StepRow[] {
  const own = steps.filter((step) => !isHookPath(step.path) && isShown(step))
  const waiting = own.filter(({ status }) => status === 'suspended')
  return own.flatMap((step) => {
    const { attempts, resumes, path, exempt } = step
    // a call in it waits, or has waited
    if (exempt && attempts === 0) {
      const isWaiting = waiting.some((call) => isNestedIn(call.path, path))
      return [{ ...step, ...(isWaiting && { status: 'suspended' as const }), attempts: 1 }]
    }
    return attempts > 0 || resumes > 0 ? [step] : []
  })
}

/** What waits in a suspended execution and can be resumed: the suspended step, and recorded calls that wait beside it. */
export function openWaits(
  row: ExecutionRow,
  steps: readonly StepRow[],
  isCall: (path: string) => boolean,
): StepWait[] {
  if (row.suspension === null) return []
  const suspension = suspensionIn(row)
  return steps.flatMap((step) => {
    const { path, stepId, type, status, attempts, childId, wakeAt, event, eventKey } = step
    const isOwn = path === suspension.path
    if (status !== 'suspended' || !(isOwn || (isCall(path) && childId === null && attempts > 0))) return []
    const request = decodeStored<Partial<SuspendRequest>>(step.suspendData ?? '{}', {})
    const { reason = WAIT_REASONS.get(type) ?? suspension.reason, data } = request
    const schema = request.resumeSchema ?? (isOwn ? suspension.resumeSchema : undefined)
    return {
      stepId,
      path,
      type,
      reason,
      ...(schema !== undefined && schema !== null && { resumeSchema: schema as JsonSchema }),
      ...(typeof data === 'string' && { data: decodeStored(data, null) }),
      ...(wakeAt !== null && { wakeAt: toIso(wakeAt) }),
      ...awaitedEvent({ event: event ?? undefined, key: eventKey ?? undefined }),
    }
  })
}

/** The reasons of waits that their steps do not give. */
const WAIT_REASONS: ReadonlyMap<StepType, string> = new Map([
  ['andSleep', SLEEPING],
  ['andSleepUntil', SLEEPING],
  ['andWaitForEvent', WAITING],
])

/** Whether a row is shown: of the calls of an answer, those of tools that make recorded calls. */
function isShown({ isAnswerCall, exempt }: StepRow): boolean {
  return !isAnswerCall || exempt
}

function hookRecords(steps: readonly StepRow[]): HookRecord[] {
  return HOOKS.flatMap((hook) => {
    const path = hookPath(hook)
    const row = steps.find((step) => step.path === path)
    if (!row) return []
    const { status, error, attempts, startTime, endTime, durationMs } = stepRecord(row)
    const calls = steps
      .filter((step) => isNestedIn(step.path, path) && isShown(step))
      .map((step) => stepRecord(step))
    return {
      hook,
      status,
      ...(error && { error }),
      attempts,
      startTime,
      endTime,
      durationMs,
      ...(calls.length > 0 && { steps: calls }),
    }
  })
}

/** `steps`: those of an execution that has not ended. */
export function executionState(
  row: ExecutionRow,
  steps: readonly StepRow[],
  waiting?: QueuePosition | Suspected,
): ExecutionState {
  const progress = openProgress(steps)
  const base = {
    executionId: row.id,
    workflowId: row.workflowId,
    status: row.status,
    startAt: toIso(row.createdAt),
    input: decodeStored(row.input, null),
    context: decodeStored<Record<string, unknown>>(row.context, {}),
    ...shownPauseAt(row.pauseAt),
    ...(progress.length > 0 && { progress }),
    ...(waiting && { waiting: shownWaiting(waiting) }),
    ...shownCompensation(row),
  }
  if (row.suspension === null) return base
  const { suspendedAt, reason, suspendedStepIndex, stepId, data, wakeAt, misfits, hint, ...awaited } =
    suspensionIn(row)
  return {
    ...base,
    suspension: {
      suspendedAt,
      reason,
      stepIndex: suspendedStepIndex,
      stepId,
      ...(data !== undefined && { data }),
      ...(wakeAt !== undefined && { wakeAt }),
      ...awaitedEvent(awaited),
      ...(misfits && { misfits }),
      ...(hint !== undefined && { hint }),
    },
  }
}

function shownWaiting({ since, ...rest }: QueuePosition | Suspected) {
  return { ...rest, since: toIso(since) }
}

function suspectedIn({ status, updatedAt }: ExecutionRow, steps: readonly StepRow[]): Suspected | undefined {
  if (status !== 'running' || steps.every(({ trial }) => trial !== 'waiting')) return undefined
  return { reason: 'suspected', since: updatedAt }
}

/** The suspension of a record. */
export function suspensionIn({ suspension }: ExecutionRow): StoredSuspension {
  return decodeStored<StoredSuspension>(suspension ?? '', UNREADABLE_SUSPENSION)
}

function stepRecord(row: StepRow): StepRecord {
  const compensates = compensatedPath(row.path)
  return {
    stepId: row.stepId,
    path: row.path,
    name: row.name,
    type: row.type,
    status: row.status,
    input: decodeStored(row.input, null),
    ...(row.output !== null && { output: decodeStored(row.output, null) }),
    ...(row.error !== null && { error: decodeStored<ExecutionError>(row.error, UNREADABLE_ERROR) }),
    attempts: row.attempts,
    startTime: toIso(row.startedAt),
    endTime: row.endedAt === null ? null : toIso(row.endedAt),
    durationMs: row.endedAt === null ? null : row.endedAt - row.startedAt,
    ...(row.childId !== null && { childExecutionId: row.childId }),
    ...(compensates !== undefined && { compensates }),
  }
}

/** The progress of steps with items or rounds that have not ended. */
function openProgress(steps: readonly StepRow[]): NonNullable<ExecutionState['progress']> {
  const ended = endedRounds(steps)
  return steps
    .filter(({ endedAt }) => endedAt === null)
    .flatMap((step) => {
      const { progress } = progressOf(step, ended)
      return progress ? [{ stepId: step.stepId, ...progress }] : []
    })
}

/** The numbers of ended rounds, and of those that failed. */
interface EndedRounds {
  done: number
  failed: number
}

/** The ended rounds by the path of their loop. */
function endedRounds(steps: readonly StepRow[]): ReadonlyMap<string, EndedRounds> {
  const ended = new Map<string, EndedRounds>()
  for (const { path, endedAt, status } of steps) {
    if (endedAt === null || !path.endsWith(']')) continue
    const loop = outerPath(path)
    const rounds = ended.get(loop) ?? { done: 0, failed: 0 }
    rounds.done += 1
    if (status === 'error') rounds.failed += 1
    ended.set(loop, rounds)
  }
  return ended
}

function progressOf(
  { type, path, input, items }: StepRow,
  ended: ReadonlyMap<string, EndedRounds>,
): Pick<StepRecord, 'progress'> {
  const { done, failed } = ended.get(path) ?? { done: 0, failed: 0 }
  const progress = { done, ...(failed > 0 && { failed }) }
  if (type === 'andDoWhile' || type === 'andDoUntil') return { progress }
  if (type !== 'andForEach') return {}
  const all = decodeStored<readonly unknown[] | null>(items ?? input, null)
  return { progress: { ...progress, ...(Array.isArray(all) && { total: all.length }) } }
}

function recordedEvents({ workflowName }: ExecutionRow, rows: readonly EventRow[]): RecordedEvent[] {
  return rows.flatMap((event) => eventRecord(event, workflowName) ?? [])
}

function eventRecord({ seq, data }: EventRow, workflowName: string): RecordedEvent | undefined {
  const event = decodeStored<SentEvent | undefined>(data, undefined)
  return event && toRecordedEvent(event, seq, workflowName)
}
