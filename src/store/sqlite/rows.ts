import type { EventRow, ExecutionRow, StepRow } from '../store.ts'
import type { SqlValue } from './driver.ts'

/** Columns in the order in which their values are bound and read. */
type Columns<Row> = readonly (readonly [column: string, key: keyof Row & string])[]

export const EXECUTION_COLUMNS = [
  ['id', 'id'],
  ['workflow_id', 'workflowId'],
  ['workflow_name', 'workflowName'],
  ['status', 'status'],
  ['epoch', 'epoch'],
  ['created_at', 'createdAt'],
  ['updated_at', 'updatedAt'],
  ['ended_at', 'endedAt'],
  ['user_id', 'userId'],
  ['conversation_id', 'conversationId'],
  ['parent_id', 'parentId'],
  ['definition_hash', 'definitionHash'],
  ['trace_id', 'traceId'],
  ['span_id', 'spanId'],
  ['suspension', 'suspension'],
  ['suspend_request', 'suspendRequest'],
  ['error', 'error'],
  ['forked_from', 'forkedFrom'],
] as const satisfies Columns<ExecutionRow>

export const STEP_COLUMNS = [
  ['path', 'path'],
  ['step_id', 'stepId'],
  ['name', 'name'],
  ['type', 'type'],
  ['position', 'position'],
  ['status', 'status'],
  ['input', 'input'],
  ['output', 'output'],
  ['error', 'error'],
  ['attempts', 'attempts'],
  ['failures', 'failures'],
  ['iteration', 'iteration'],
  ['suspend_data', 'suspendData'],
  ['resume_data', 'resumeData'],
  ['wake_at', 'wakeAt'],
  ['started_at', 'startedAt'],
  ['ended_at', 'endedAt'],
  ['child_id', 'childId'],
] as const satisfies Columns<StepRow>

/** `column AS key` for a SELECT whose rows are then the interface's own objects. */
export function selection<Row>(columns: Columns<Row>, table = ''): string {
  return columns.map(([column, key]) => `${table}${column} AS ${key}`).join(', ')
}

/** A row's values in column order. */
export function valuesOf<Row>(columns: Columns<Row>, row: Row): SqlValue[] {
  return columns.map(([, key]) => row[key] as SqlValue)
}

export function eventFrom(row: unknown): EventRow {
  const { seq, level, data } = row as { seq: number; level: number; data: string }
  return { seq, workflowLevel: level === 1, data }
}
