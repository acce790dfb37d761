import type { Resumers } from '../../contract/access/callers.ts'
import { idOfUser, userKey } from '../../contract/access/user-key.ts'
import type { User } from '../../contract/auth.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionHistory, ExecutionRow, OwnershipRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import { agentIdIn } from '../agents/answer-workflow.ts'
import type { Registry } from '../registry.ts'

interface FindDeps {
  readonly store: Pick<Store, 'executions'>
  readonly registry: () => Registry
}

/** An execution, and the workflow that the caller named; without one, any. */
export interface ExecutionRef {
  readonly executionId: string
  readonly workflowId?: string
  /** Set by what has checked the access to the answer: no request finds the execution of one by itself. */
  readonly isAnswer?: true
}

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

/** A reference to an execution of any kind, for what has checked the access to it, or is about to. */
export function refOf({ id, workflowId }: Pick<ExecutionRow, 'id' | 'workflowId'>): ExecutionRef {
  return { executionId: id, ...(agentIdIn(workflowId) !== undefined && { isAnswer: true }) }
}

/** What access to an execution depends on. */
export interface Ownership {
  readonly owner: string | null
  readonly workflowId: string
  /** What the workflows of all executions declare that suspend and resume with it. */
  readonly resumers: () => Promise<readonly Resumers[]>
  /** Whether a user started one of these executions, or asked for the replay that it is. */
  readonly isAsker: (user: User) => Promise<boolean>
}

/** The ownership of an execution; throws as {@link findExecution} does. */
export async function findOwnership(deps: FindDeps, ref: ExecutionRef): Promise<Ownership> {
  const { store, registry } = deps
  const row = await store.executions.ownership(ref.executionId)
  if (!row || !isOfWorkflow(row, ref)) throw notFound(ref, registry())
  return {
    owner: row.owner,
    workflowId: row.workflowId,
    resumers: async () =>
      (await relatedExecutions(deps, row)).flatMap(
        ({ workflowId }) => registry().find(workflowId)?.definition.resumableBy ?? [],
      ),
    isAsker: async (user) => {
      if (row.owner === userKey(user)) return true
      const related = await relatedExecutions(deps, row)
      const starters = await Promise.all(related.map(({ id }) => starterOf(deps, id)))
      return starters.includes(idOfUser(user) ?? null)
    },
  }
}

/** The id of the user who started an execution; that of the original's owner is another one for a replay. */
async function starterOf({ store }: FindDeps, id: string): Promise<string | null> {
  const [first] = await store.executions.workflowEvents(id)
  return first ? ((JSON.parse(first.data) as { readonly startedBy?: string }).startedBy ?? null) : null
}

/** The executions that suspend and resume with one: it, its parents, and its open children. */
async function relatedExecutions({ store }: FindDeps, row: OwnershipRow): Promise<OwnershipRow[]> {
  const found = [row]
  for (let inner: OwnershipRow | undefined = row; inner?.parentId != null;) {
    inner = await store.executions.ownership(inner.parentId)
    if (inner) found.push(inner)
  }
  const open = [row.id]
  for (const id of open) {
    for (const childId of await store.executions.openChildren(id)) {
      const child = await store.executions.ownership(childId)
      if (child) found.push(child)
      open.push(childId)
    }
  }
  return found
}

/** An answer has the owner and the rules of its agent run, and is found only by what has checked these. */
function isOfWorkflow(
  row: Pick<ExecutionRow, 'workflowId'>,
  { workflowId, isAnswer }: ExecutionRef,
): boolean {
  const ofAgent = agentIdIn(row.workflowId) !== undefined
  return ofAgent === (isAnswer === true) && (workflowId === undefined || row.workflowId === workflowId)
}

function notFound({ executionId, workflowId }: ExecutionRef, registry: Registry): AppError {
  // an unknown workflow is the more useful message
  if (workflowId !== undefined) registry.get(workflowId)
  return new AppError('not_found', `Execution not found: ${executionId}`)
}
