import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { toIso } from '../../lib/clock.ts'
import type { ExecutionRow, Milestone } from '../../store/execution-store.ts'
import { executionRecord } from './to-api.ts'
import type { RecordParts } from './to-api.ts'
import { decodeStored } from './values.ts'
import { awaitedEvent } from './execution-events.ts'
import type { StoredSuspension } from './execution-events.ts'

interface WorkflowEvent {
  readonly type?: string
  readonly timestamp?: string
  readonly reason?: string
  readonly stepId?: string
  readonly stepIndex?: number
  readonly data?: unknown
  readonly wakeAt?: string
  readonly event?: string
  readonly key?: string
}

/** An execution as lists showed it at a milestone, and the time of the milestone. */
export function executionSnapshot(
  { execution, isLast }: Milestone,
  { waiting, usage }: RecordParts,
): { at: number; record: ExecutionRecord } {
  const { events, ...now } = execution
  const event = decodeStored<WorkflowEvent>(events.at(-1)?.data ?? '', {})
  const at = event.timestamp === undefined ? now.updatedAt : Date.parse(event.timestamp)
  const isSame = isLast && now.status !== 'running'
  return {
    at,
    record: executionRecord(isSame ? now : rowAt(now, event, at), events, {
      waiting: isLast ? waiting : undefined,
      usage,
    }),
  }
}

/** The row as it was at the milestone: an execution that has changed since was running or suspended then. */
function rowAt(now: ExecutionRow, event: WorkflowEvent, at: number): ExecutionRow {
  const suspended = event.type === 'workflow-suspended'
  const status: ExecutionStatus = suspended ? 'suspended' : 'running'
  return {
    ...now,
    status,
    updatedAt: at,
    endedAt: null,
    output: null,
    error: null,
    suspension: suspended ? JSON.stringify(suspensionIn(event, at)) : null,
  }
}

function suspensionIn(event: WorkflowEvent, at: number) {
  const { reason = '', stepId = '', stepIndex = 0, data, wakeAt } = event
  const suspension: Omit<StoredSuspension, 'path'> = {
    suspendedAt: toIso(at),
    reason,
    suspendedStepIndex: stepIndex,
    stepId,
    ...(data !== undefined && { data }),
    ...(wakeAt !== undefined && { wakeAt }),
    ...awaitedEvent(event),
  }
  return suspension
}
