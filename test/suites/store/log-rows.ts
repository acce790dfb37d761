import { IDS_PER_MS } from '../../../src/store/log-store.ts'
import type { LogRow } from '../../../src/store/log-store.ts'

/** A record of a time in milliseconds, with the values of the test. */
export const logRow = (ms: number, rest: Partial<LogRow> = {}): LogRow => ({
  id: ms * IDS_PER_MS,
  timestamp: ms,
  level: 30,
  message: `at ${ms}`,
  attributes: '{}',
  traceId: null,
  spanId: null,
  executionId: null,
  workflowId: null,
  agentId: null,
  ...rest,
})
