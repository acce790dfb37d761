import type { User } from '../../contract/auth.ts'
import type { Actors } from '../../contract/event.ts'
import { idOfKey } from '../../contract/access/user-key.ts'
import type { ExecutionHistory, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { storedSuspension } from '../record/execution-events.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import { parseInput } from '../record/values.ts'
import type { ChildOutcome, NewChild } from '../run/steps/child.ts'
import { RunAborted, StoreFailure, storedError } from '../run/errors.ts'
import type { Registry } from '../registry.ts'
import type { RunOutcome, SuspendedOutcome } from '../run/outcome.ts'
import type { Run } from '../run/run.ts'
import { readAndContinue } from './continue-suspended.ts'
import type { Continuable } from './continue-suspended.ts'
import type { Resumption } from './live-runs.ts'
import type { CommandDeps } from './live-runs.ts'
import { awaitRemote, runsRemotely } from './remote-executions.ts'
import { recoverExecution } from './recover.ts'

type Child = Pick<ExecutionRow, 'id' | 'parentId'>

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
  const facts = {
    context,
    userId,
    conversationId,
    user,
    owner,
    startedBy,
    parentId,
    trace,
    storedWith: parent,
  }
  const execution = {
    workflow,
    input: text,
    slot: workflow.queue?.slotOf({ ...facts, input: text }),
    ...facts,
  }
  // the parent's hold outlasts the child's run, or the child is recovered with a hold of its own
  return () => deps.runs.start(execution, { registry, release: () => undefined }).record.id
}

/**
 * Waits until a child settles, on whatever machine, and recovers it first if it runs nowhere. `stopped`: the server
 * stops.
 *
 * @throws StoreFailure when the store failed to record the child: its parent waits for the store, too.
 */
export async function awaitChild(deps: CommandDeps, id: string): Promise<ChildOutcome | 'stopped'> {
  const runsNowhere = async (row: ExecutionRow) =>
    deps.registry().find(row.workflowId) !== undefined && !(await runsRemotely(deps, row))
  for (;;) {
    let lost = false
    const row = await awaitRemote(deps, id, async (current) => (lost = await runsNowhere(current)))
    const recorded = row && recordedOutcome(row)
    if (recorded) return recorded
    const run = lost ? await recoverExecution(deps, id) : deps.runs.get(id)
    const end = await run?.ended
    if (end?.kind === 'stopped' && end.cause instanceof StoreFailure) throw end.cause
    if (end?.kind === 'settled') return childOutcome(end.outcome)
    // another machine has taken it over, or changed it before this one could
    if (end?.kind === 'fenced' || (lost && !end && !deps.runs.stopping)) continue
    return 'stopped'
  }
}

/** The suspended parents that wait for an execution, the inner one first. */
export async function waitingParents(
  { runs, store }: CommandDeps,
  child: Child,
  registry: Registry,
): Promise<readonly Continuable[]> {
  const found: Continuable[] = []
  for (let { id, parentId } = child; parentId !== null;) {
    const history = await store.executions.history(parentId)
    if (history?.row.status !== 'suspended' || runs.get(parentId)) break
    const { row } = history
    const step = suspendedSteps(history, pathOf(row)).find(({ childId }) => childId === id)
    const workflow = registry.find(row.workflowId)
    if (!step || !workflow) break
    found.push({ history, workflow, stepId: step.stepId })
    ;({ id, parentId } = row)
  }
  return found
}

/** Resumes the parents that wait for an execution which is not suspended any more. The runs, inner first. */
export async function resumeParents(
  deps: CommandDeps,
  child: Child,
  resumption: Resumption = { resumeData: null },
): Promise<readonly Run[]> {
  if (child.parentId === null || deps.runs.stopping) return []
  return readAndContinue(deps, async ({ registry }) => ({
    executions: await waitingParents(deps, child, registry),
    resumption,
  }))
}

/**
 * Resumes an execution that was suspended because of its child when the child is not suspended any more: it was
 * resumed or cancelled while other branches of the execution were running.
 */
export async function resumeAfterChild(
  deps: CommandDeps,
  { record }: Run,
  { place }: SuspendedOutcome,
): Promise<void> {
  if (record.pause.reason) return
  const steps = [...record.steps.values()]
  await resumeWaiting(deps, record.id, suspendedSteps({ steps }, place.path))
}

/**
 * Does that for a stored execution, whose process may have died before it could. Resolves with whether nothing is left
 * to be done here: its workflow may be missing.
 */
export async function resumeSuspendedParent(deps: CommandDeps, history: ExecutionHistory): Promise<boolean> {
  const isWaiting = await resumeWaiting(deps, history.row.id, suspendedSteps(history, pathOf(history.row)))
  return !isWaiting || deps.registry().find(history.row.workflowId) !== undefined
}

/** Resolves with whether the execution waits for a child that is not suspended. */
async function resumeWaiting(
  deps: CommandDeps,
  parentId: string,
  steps: readonly StepRow[],
): Promise<boolean> {
  for (const { childId } of steps) {
    const child = childId === null ? undefined : await deps.store.executions.get(childId)
    if (!child || child.status === 'suspended') continue
    const resumption = deps.runs.resumptionOf(child.id) ?? (await recordedResumption(deps, child))
    await resumeParents(deps, { id: child.id, parentId }, resumption)
    return true
  }
  return false
}

/** The steps at which an execution is suspended: only the one at `path`, if a request suspended it there. */
function suspendedSteps({ steps }: Pick<ExecutionHistory, 'steps'>, path?: string): readonly StepRow[] {
  const named = steps.find((step) => step.path === path)
  if (named?.status === 'suspended') return steps.filter(({ status }) => status === 'suspended')
  return named ? [named] : []
}

function pathOf({ suspension }: ExecutionRow): string | undefined {
  return (JSON.parse(suspension ?? '{}') as Partial<StoredSuspension>).path
}

/** The last resume of an execution, which another machine may have made; none when the execution was cancelled. */
export async function recordedResumption(
  { store }: Pick<CommandDeps, 'store'>,
  { id, status, resumedUser }: ExecutionRow,
): Promise<Resumption | undefined> {
  if (status === 'cancelled') return undefined
  const stored = await store.executions.workflowEvents(id)
  const events = stored.map(({ data }) => JSON.parse(data) as ResumedEvent)
  const resumed = events.findLast(({ type }) => type === 'workflow-resumed')
  if (!resumed) return undefined
  const { resumeData, resumedAs: as, resumedOver: over } = resumed
  return {
    resumeData: resumeData === undefined ? null : JSON.stringify(resumeData),
    as,
    over,
    ...(resumedUser !== null && { user: JSON.parse(resumedUser) as User }),
  }
}

interface ResumedEvent extends Pick<Actors, 'resumedAs' | 'resumedOver'> {
  readonly type: string
  readonly resumeData?: unknown
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
        error: storedError(row.error),
      }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'suspended':
      return suspendedOutcome(JSON.parse(row.suspension ?? '{"reason":""}') as StoredSuspension)
  }
}

function suspendedOutcome({ reason, data, wakeAt, ...rest }: StoredSuspension): ChildOutcome {
  const text = data === undefined ? null : JSON.stringify(data)
  const at = wakeAt === undefined ? undefined : Date.parse(wakeAt)
  const { resumeSchema, by, event, key } = rest
  return { status: 'suspended', reason, data: text, resumeSchema, by, wakeAt: at, event, key }
}
