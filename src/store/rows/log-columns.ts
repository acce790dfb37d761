import type { LogRow } from '../log-store.ts'

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
