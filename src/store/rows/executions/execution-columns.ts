import { CHANGED_CODE } from '../../../contract/changed-code.ts'
import { ANSWER_STEP } from '../../../contract/step-path.ts'
import { SLEEPING, WAITING } from '../../../contract/wait-reasons.ts'
import type { ExecutionChange, ExecutionFilter, ExecutionRow } from '../../execution-store.ts'

/** Columns of `executions`, with the names of the row's properties. */
export const EXECUTION_COLUMNS = [
  ['id', 'id'],
  ['kind', 'kind'],
  ['workflow_id', 'workflowId'],
  ['workflow_name', 'workflowName'],
  ['status', 'status'],
  ['owner_epoch', 'ownerEpoch'],
  ['created_at', 'createdAt'],
  ['updated_at', 'updatedAt'],
  ['ended_at', 'endedAt'],
  ['user_id', 'userId'],
  ['conversation_id', 'conversationId'],
  ['parent_id', 'parentId'],
  ['definition_hash', 'definitionHash'],
  ['trace_id', 'traceId'],
  ['span_id', 'spanId'],
  ['output', 'output'],
  ['error', 'error'],
  ['suspension', 'suspension'],
  ['suspend_request', 'suspendRequest'],
  ['forked_from', 'forkedFrom'],
  ['owner', 'owner'],
  ['resumed_user', 'resumedUser'],
  ['pause_at', 'pauseAt'],
  ['metadata', 'metadata'],
  ['compensation', 'compensation'],
  ['accepted_changes', 'acceptedChanges'],
  ['times_out_at', 'timesOutAt'],
  ['failure', 'failure'],
  ['schedule_id', 'scheduleId'],
] as const satisfies readonly (readonly [column: string, key: keyof ExecutionRow])[]

/** Columns of `executions` that a change can set. */
export const CHANGE_COLUMNS = {
  status: 'status',
  ownerEpoch: 'owner_epoch',
  updatedAt: 'updated_at',
  endedAt: 'ended_at',
  output: 'output',
  error: 'error',
  suspension: 'suspension',
  suspendRequest: 'suspend_request',
  resumedUser: 'resumed_user',
  pauseAt: 'pause_at',
  metadata: 'metadata',
  compensation: 'compensation',
  acceptedChanges: 'accepted_changes',
  failure: 'failure',
} as const satisfies Record<keyof ExecutionChange, string>

/** A suspension as it is stored with this reason, which comes after the time. */
const suspendedFor = (reason: string) => `'{"suspendedAt":"${'_'.repeat(24)}","reason":"${reason}",%'`

/**
 * Whether an execution waits for somebody: not for a time or an event, by itself or in a child, and not as a child,
 * whose parent does. Must be identical to the expression of the index.
 */
export const NEEDS_INPUT = `status = 'suspended' AND parent_id IS NULL
  AND coalesce(suspension, '') NOT LIKE ${suspendedFor(SLEEPING)}
  AND coalesce(suspension, '') NOT LIKE ${suspendedFor(WAITING)}`

/** Whether an execution, or a child of it, waits for a time or an event. */
const SLEEPS = `status = 'suspended'
  AND (suspension LIKE ${suspendedFor(SLEEPING)} OR suspension LIKE ${suspendedFor(WAITING)})`

/** Whether an execution waits because its record, or that of its child, does not fit the code. Must be identical to the expression of the index. */
export const CHANGED_CODE_WAITS = `status = 'suspended' AND suspension LIKE ${suspendedFor(CHANGED_CODE)}`

/** Whether an execution has failed and somebody should know: not a child, nor the replay of a pin, which a save made. */
export const FAILED = `status = 'error' AND parent_id IS NULL
  AND (forked_from IS NULL OR forked_from NOT LIKE '%"pinned":true}')`

/** Whether an execution is listed and counted as one. */
export const IS_LISTED = `kind = 'workflow'`

/** Whether an answer waits in the middle of a tool, and not for approvals, which are records of their own. */
const WAITS_WITHIN = `coalesce(suspension, '') NOT LIKE '%"path":"${ANSWER_STEP}","resumeSchema":%'`

/** Which kind of executions a filter selects. */
export function kindCondition({ kind, needsInput }: ExecutionFilter): string {
  if (kind !== 'answer') return IS_LISTED
  return needsInput ? `kind = 'answer' AND ${WAITS_WITHIN}` : `kind = 'answer'`
}

/** SQL conditions of filters, each with one parameter. */
export const EXECUTION_CONDITIONS = {
  id: 'id = ?',
  workflowId: 'workflow_id = ?',
  status: 'status = ?',
  userId: 'user_id = ?',
  conversationId: 'conversation_id = ?',
  parentExecutionId: 'parent_id = ?',
  openTo: '(owner IS NULL OR owner = ?)',
  needsInput: NEEDS_INPUT,
  sleeps: SLEEPS,
  changedCode: CHANGED_CODE_WAITS,
  // the first condition is that of an index
  forkedFrom: 'forked_from IS NOT NULL AND origin_id = ?',
  failure: 'failure IS NOT NULL AND failure = ?',
  scheduleId: 'schedule_id IS NOT NULL AND schedule_id = ?',
  from: 'created_at > ?',
  to: 'created_at < ?',
} as const satisfies Record<Exclude<keyof ExecutionFilter, 'kind' | 'search' | 'metadata'>, string>
