import { AppError } from '../../lib/errors.ts'
import type { ExecutionHistory, ExecutionRow, OwnershipRow } from '../../store/execution-store.ts'
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

/** The owner of an execution, and a function that finds out whether only the owner may suspend and resume it. */
export interface Ownership {
  readonly owner: string | null
  readonly workflowId: string
  readonly isClosed: () => Promise<boolean>
}

/** The ownership of an execution; throws as {@link findExecution} does. */
export async function findOwnership(deps: FindDeps, ref: ExecutionRef): Promise<Ownership> {
  const { store, registry } = deps
  const row = await store.executions.ownership(ref.executionId)
  if (!row || !isOfWorkflow(row, ref)) throw notFound(ref, registry())
  const isClosed = async () => (await relatedWorkflows(deps, row)).some(isResumableByOwner(registry()))
  return { owner: row.owner, workflowId: row.workflowId, isClosed }
}

function isResumableByOwner(registry: Registry): (workflowId: string) => boolean {
  return (workflowId) => registry.find(workflowId)?.definition.resumableBy === 'owner'
}

/** The workflows of the executions that suspend and resume with one: it, its parents, and its open children. */
async function relatedWorkflows({ store }: FindDeps, row: OwnershipRow): Promise<string[]> {
  const found = [row.workflowId]
  for (let inner: OwnershipRow | undefined = row; inner?.parentId != null;) {
    inner = await store.executions.ownership(inner.parentId)
    if (inner) found.push(inner.workflowId)
  }
  const open = [row.id]
  for (const id of open) {
    for (const childId of await store.executions.openChildren(id)) {
      const child = await store.executions.ownership(childId)
      if (child) found.push(child.workflowId)
      open.push(childId)
    }
  }
  return found
}

function isOfWorkflow(row: Pick<ExecutionRow, 'workflowId'>, { workflowId }: ExecutionRef): boolean {
  return workflowId === undefined || row.workflowId === workflowId
}

function notFound({ executionId, workflowId }: ExecutionRef, registry: Registry): AppError {
  // an unknown workflow is the more useful message
  if (workflowId !== undefined) registry.get(workflowId)
  return new AppError('not_found', `Execution not found: ${executionId}`)
}
