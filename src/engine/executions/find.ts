import { AppError } from '../../lib/errors.ts'
import type { ExecutionHistory, ExecutionRow } from '../../store/execution-store.ts'
import type { Registry } from '../registry.ts'
import type { ExecutionRef, ExecutionsDeps } from './deps.ts'

type FindDeps = Pick<ExecutionsDeps, 'store' | 'registry'>

/**
 * The row of an execution.
 *
 * @throws AppError `not_found`, also when the execution belongs to another workflow than the caller named.
 */
export async function findExecution({ store, registry }: FindDeps, ref: ExecutionRef): Promise<ExecutionRow> {
  const row = await store.executions.get(ref.executionId)
  if (row && isOfWorkflow(row, ref)) return row
  throw notFound(ref, registry())
}

/** The row, the steps and the last sequence number of an execution; throws as {@link findExecution} does. */
export async function findHistory(
  { store, registry }: FindDeps,
  ref: ExecutionRef,
): Promise<ExecutionHistory> {
  const history = await store.executions.history(ref.executionId)
  if (history && isOfWorkflow(history.row, ref)) return history
  throw notFound(ref, registry())
}

function isOfWorkflow(row: ExecutionRow, { workflowId }: ExecutionRef): boolean {
  return workflowId === undefined || row.workflowId === workflowId
}

function notFound({ executionId, workflowId }: ExecutionRef, registry: Registry): AppError {
  // an unknown workflow is the more useful message
  if (workflowId !== undefined) registry.get(workflowId)
  return new AppError('not_found', `Execution not found: ${executionId}`)
}
