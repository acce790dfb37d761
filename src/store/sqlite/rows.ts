import type { EventRow, ExecutionRow } from '../store.ts'
import type { SqlValue } from './driver.ts'

/** Columns of `executions` in the order in which their values are bound and read, with the row's own names. */
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
  ['output', 'output'],
  ['error', 'error'],
  ['suspension', 'suspension'],
  ['suspend_request', 'suspendRequest'],
  ['forked_from', 'forkedFrom'],
] as const satisfies readonly (readonly [column: string, key: keyof ExecutionRow])[]

export function executionValues(row: ExecutionRow): SqlValue[] {
  return EXECUTION_COLUMNS.map(([, key]) => row[key])
}

/** The events of one commit as one row: a line each, marked where they are workflow-level. */
export interface EventBatch {
  /** Sequence number of the last event. */
  readonly seq: number
  readonly workflowLevel: 0 | 1
  readonly data: string
}

export function packEvents(events: readonly EventRow[]): EventBatch {
  return {
    seq: events.at(-1)?.seq ?? 0,
    workflowLevel: events.some((event) => event.workflowLevel) ? 1 : 0,
    // JSON text has no line breaks of its own
    data: events.map(({ workflowLevel, data }) => (workflowLevel ? '1' : '0') + data).join('\n'),
  }
}

export function unpackEvents({ seq, data }: EventBatch): EventRow[] {
  const lines = data.split('\n')
  return lines.map((line, index) => ({
    seq: seq - lines.length + 1 + index,
    workflowLevel: line.startsWith('1'),
    data: line.slice(1),
  }))
}
