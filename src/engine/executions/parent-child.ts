import type { User } from '../../contract/auth.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { idOfKey } from '../../contract/user-key.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { storedSuspension } from '../record/execution-events.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import { parseInput } from '../record/values.ts'
import type { ChildOutcome, NewChild } from '../run/child.ts'
import { RunAborted } from '../run/errors.ts'
import type { RunOutcome } from '../run/outcome.ts'
import type { Run } from '../run/run.ts'
import { continueSuspended } from './continue-suspended.ts'
import type { CommandDeps } from './live-runs.ts'
import { startHolding } from './execute.ts'
import { recoverExecution } from './recover.ts'

// The rule between a parent and its children: a child runs the parent's generation and belongs to its user; a
// child that suspends suspends its parent; resuming either resumes both; cancelling the parent cancels the child.

/** Validates a child's input. The returned function starts the child and returns its id. */
export async function prepareChild(deps: CommandDeps, child: NewChild): Promise<() => string> {
  const { parent, workflowId, input, trace } = child
  const registry = deps.runs.holdOf(parent.id)?.registry
  if (!registry) throw new RunAborted('ended', 'The parent execution has ended')
  const workflow = registry.get(workflowId)
  const { context, userId, conversationId, user, owner, id: parentId } = parent.row
  const text = await parseInput(workflow, input)
  const startedBy = owner === null ? undefined : idOfKey(owner)
  const facts = { context, userId, conversationId, user, owner, startedBy, parentId, trace }
  const execution = { workflow, input: text, ...facts }
  // the parent's hold outlasts the child's run, or the child is recovered with a hold of its own
  return () => deps.runs.start(execution, { registry, release: () => undefined }).record.id
}

/** Waits until a child settles, and recovers it first if it runs nowhere. `stopped`: the server stops. */
export async function awaitChild(deps: CommandDeps, id: string): Promise<ChildOutcome | 'stopped'> {
  const { runs, store } = deps
  const row = runs.get(id) ? undefined : await store.executions.get(id)
  const recorded = row && recordedOutcome(row)
  if (recorded) return recorded
  const run = runs.get(id) ?? (row && (await recoverExecution(deps, id)))
  const end = await run?.ended
  return end?.kind === 'settled' ? childOutcome(end.outcome) : 'stopped'
}

interface ParentResume {
  /** JSON text; the resume data of the child. */
  readonly resumeData?: string | null
  /** The span that requested it. */
  readonly cause?: TraceScope | undefined
  /** The user who requested it. */
  readonly user?: User | undefined
}

/** Resumes the parent that is suspended because of this child, and that one's parents. The runs, inner first. */
export async function resumeParents(
  deps: CommandDeps,
  child: Pick<ExecutionRow, 'id' | 'parentId'>,
  resume: ParentResume = {},
): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (let inner = child; ;) {
    const run = await resumeParent(deps, inner, resume)
    if (!run) return runs
    runs.push(run)
    inner = run.record.row
  }
}

async function resumeParent(
  deps: CommandDeps,
  { id: childId, parentId }: Pick<ExecutionRow, 'id' | 'parentId'>,
  { resumeData = null, cause, user }: ParentResume,
): Promise<Run | undefined> {
  const { runs, store } = deps
  const history = parentId === null ? undefined : await store.executions.history(parentId)
  if (history?.row.status !== 'suspended' || runs.get(history.row.id) || runs.stopping) return undefined
  const { row, steps } = history
  const { path } = JSON.parse(row.suspension ?? '{}') as Partial<StoredSuspension>
  const step = steps.find((one) => one.path === path)
  if (step?.childId !== childId) return undefined
  return startHolding(deps.hold(), async (hold) => {
    const workflow = hold.registry.find(row.workflowId)
    const { stepId } = step
    return workflow && continueSuspended(deps, history, { workflow, hold, stepId, resumeData, cause, user })
  })
}

function childOutcome(outcome: RunOutcome): ChildOutcome {
  return outcome.status === 'suspended' ? suspendedOutcome(storedSuspension(outcome)) : outcome
}

/** The outcome of a stored child; `undefined` while its status is `running`. */
function recordedOutcome(row: ExecutionRow): ChildOutcome | undefined {
  switch (row.status) {
    case 'running':
      return undefined
    case 'completed':
      return { status: 'completed', output: row.output ?? 'null' }
    case 'error':
      return {
        status: 'error',
        error: JSON.parse(row.error ?? '{"message":"","name":"Error"}') as ExecutionError,
      }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'suspended':
      return suspendedOutcome(JSON.parse(row.suspension ?? '{"reason":""}') as StoredSuspension)
  }
}

function suspendedOutcome({ reason, data, resumeSchema, by }: StoredSuspension): ChildOutcome {
  const text = data === undefined ? null : JSON.stringify(data)
  return { status: 'suspended', reason, data: text, resumeSchema, by }
}
