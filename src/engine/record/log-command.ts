import type { Logger } from 'pino'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** Logs a command that an authenticated user gave; `by` has the user's id under the name of the record's member. */
export function logCommand(
  logger: Logger,
  { id, workflowId, traceId }: Pick<ExecutionRow, 'id' | 'workflowId' | 'traceId'>,
  message: string,
  by: Readonly<Record<string, string | undefined>>,
): void {
  if (Object.values(by).every((userId) => userId === undefined)) return
  logger.info({ executionId: id, workflowId, traceId, ...by }, message)
}
