import type { Logger } from 'pino'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** Logs a command that somebody gave; `by` has who it was, under the names of the record's members. */
export function logCommand(
  logger: Logger,
  { id, workflowId, traceId }: Pick<ExecutionRow, 'id' | 'workflowId' | 'traceId'>,
  message: string,
  by: Readonly<Record<string, string | undefined>>,
): void {
  if (Object.values(by).every((value) => value === undefined)) return
  logger.info({ executionId: id, workflowId, traceId, ...by }, message)
}
