import { NEW_STEP } from '../../execution-store.ts'
import type { EventRow, ExecutionRow, StepChange, StepRow } from '../../execution-store.ts'
import type { SqlValue } from '../driver.ts'
import { elementsOf } from '../json-array.ts'

/** Columns of `executions` in the order of the parameters, with the names of the row's properties. */
export const EXECUTION_COLUMNS = [
  ['id', 'id'],
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
] as const satisfies readonly (readonly [column: string, key: keyof ExecutionRow])[]

export function executionValues(row: ExecutionRow): SqlValue[] {
  return EXECUTION_COLUMNS.map(([, key]) => row[key])
}

/** SQL of the number of an execution, which other tables refer to. */
export const NUMBER_OF_ID = '(SELECT number FROM executions WHERE id = ?)'

/** A commit of an execution: the changes of steps and the events, each a JSON array. */
export interface JournalRow {
  /** Sequence number of the last event. */
  readonly seq: number
  readonly steps: string
  readonly events: string
}

export function eventsOf({ seq, events }: Pick<JournalRow, 'seq' | 'events'>): EventRow[] {
  return elementsOf(events).map((data, index, all) => ({ seq: seq - all.length + 1 + index, data }))
}

/** The step rows after all changes, in the order of their start. */
export function foldSteps(rows: readonly Pick<JournalRow, 'steps'>[]): StepRow[] {
  const steps = new Map<string, StepRow>()
  for (const row of rows) {
    for (const change of JSON.parse(row.steps) as StepChange[])
      steps.set(change.path, { ...NEW_STEP, ...steps.get(change.path), ...change } as StepRow)
  }
  return [...steps.values()].toSorted(
    (a, b) => a.startedAt - b.startedAt || a.position - b.position || (a.path < b.path ? -1 : 1),
  )
}
