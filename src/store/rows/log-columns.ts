import type { LogFilter, LogRow } from '../log-store.ts'

/** Columns of `logs`, with the names of the row's properties. */
export const LOG_COLUMNS = [
  ['id', 'id'],
  ['timestamp', 'timestamp'],
  ['level', 'level'],
  ['message', 'message'],
  ['attributes', 'attributes'],
  ['trace_id', 'traceId'],
  ['span_id', 'spanId'],
  ['execution_id', 'executionId'],
  ['workflow_id', 'workflowId'],
  ['agent_id', 'agentId'],
] as const satisfies readonly (readonly [column: string, key: keyof LogRow])[]

/** Conditions with an index, the most selective first. */
export const INDEXED_LOG_CONDITIONS = {
  spanId: 'span_id = ?',
  traceId: 'trace_id = ?',
  executionId: 'execution_id = ?',
  agentId: 'agent_id = ?',
  workflowId: 'workflow_id = ?',
} as const satisfies Partial<Record<keyof LogFilter, string>>
