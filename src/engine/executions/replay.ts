import { toJson } from '../../lib/json/to-json.ts'
import { AppError } from '../../lib/errors.ts'
import { Decision } from '../../contract/access/decision.ts'
import type { Approvers } from '../../contract/access/callers.ts'
import type { Decider } from '../../contract/access/decision.ts'
import {
  compensatedPath,
  isHookPath,
  isNestedIn,
  isWithin,
  outerPath,
  stepIdAt,
} from '../../contract/step-path.ts'
import type { User } from '../../contract/auth.ts'
import { idOfUser, userKey } from '../../contract/access/user-key.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { NEW_STEP } from '../../store/execution-store.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import { pausesBefore, storedPauseAt } from '../breakpoints/breakpoints.ts'
import type { StoredPauseAt } from '../breakpoints/breakpoints.ts'
import { callTakesNone, openTo } from '../registry.ts'
import type { RegisteredWorkflow, Registry } from '../registry.ts'
import { forkedFrom } from '../run/run-trace.ts'
import type { SuspendRequest } from '../run/step-task.ts'
import type { ExecutionRef } from './find.ts'
import type { CommandDeps } from './live-runs.ts'
import { startHolding, startedExecution } from './execute.ts'
import type { StartedExecution } from './execute.ts'
import { findHistory } from './find.ts'

export interface ReplayOptions {
  /** Replaces the step's input. */
  readonly input?: unknown
  /** The steps before which it suspends. */
  readonly pauseAt?: readonly string[] | undefined
  /** It is the replay of a pin; see Pins in server/dev. */
  readonly pinned?: true
  readonly trace?: TraceScope | undefined
  /** Who requested it. */
  readonly decider: Decider
}

export interface ReplayDeps extends CommandDeps {
  /** Who had to approve the decided calls of a step's run for a user, as far as their tools declare it. */
  readonly approversOfAnswered: (runId: string, user: User | undefined) => Promise<readonly Approvers[]>
}

/**
 * Starts a new execution that copies the results recorded before a step, and runs from that step on.
 *
 * @throws AppError what the decider's rules throw when it begins behind a decision; `not_found`; `invalid_input` when the workflow has no such step, or it was not reached.
 */
export async function replay(
  deps: ReplayDeps,
  ref: ExecutionRef,
  { stepId, input, pauseAt: ids, pinned, trace, decider }: ReplayOptions & { readonly stepId: string },
): Promise<StartedExecution> {
  const { user: by } = decider
  const run = await startHolding(deps.hold(), async (hold) => {
    const { row, steps: all } = await findHistory(deps, ref)
    // hooks and compensations belong to the end of the original, which compensates what it has done
    const recorded = all.flatMap((step) => {
      const isOfEnd = isHookPath(step.path) || compensatedPath(step.path) !== undefined
      return isOfEnd ? [] : { ...step, completion: null }
    })
    const workflow = hold.registry.get(row.workflowId)
    const pauseAt = storedPauseAt(workflow, ids)
    const steps = copySteps(recorded, {
      workflow,
      stepId,
      pauseAt,
      now: deps.clock.now(),
      input: input === undefined ? undefined : toJson(input, 'input'),
    })
    await checkDecided(deps, decider, {
      id: row.id,
      user: userOf(row),
      workflow,
      steps,
      registry: hold.registry,
    })
    const { id: executionId, input: original, context, userId, conversationId, user, metadata } = row
    const origin = JSON.stringify({ executionId, stepId, pinned })
    // a pin only tries a save
    const failure = pinned ? null : row.failure
    const copy = {
      workflow,
      input: original,
      context,
      userId,
      conversationId,
      user,
      metadata,
      failure,
      steps,
    }
    const links = [forkedFrom(row)]
    // the data stays that of the original's owner
    const owner = row.owner ?? (by ? userKey(by) : null)
    const replayedBy = idOfUser(by)
    const facts = { owner, startedBy: replayedBy, replayedBy }
    const slot = workflow.queue?.slotOf(row)
    return deps.runs.start({ ...copy, ...facts, slot, pauseAt, forkedFrom: origin, trace, links }, hold)
  })
  return startedExecution(deps, run)
}

interface Copied {
  readonly id: string
  /** Whom its agents answer. */
  readonly user: User | undefined
  readonly workflow: RegisteredWorkflow
  /** The steps whose results a replay has. */
  readonly steps: readonly StepRow[]
  readonly registry: Registry
}

/**
 * A replay that begins behind a decision makes it again: it asks as the resume did, and an event as its sender. Decisions
 * in child executions count, too.
 */
async function checkDecided(
  deps: ReplayDeps,
  decider: Decider,
  { id, user, workflow, steps, registry }: Copied,
): Promise<void> {
  for (const { path, status, type, resumes, timedOut, eventId, childId, suspendData } of steps) {
    if (!isDone({ status, type })) continue
    const opened = openTo(workflow, { path, type })
    if (type === 'andWaitForEvent' && opened && (eventId !== null || !timedOut))
      await decider.check({ kind: 'wait', openTo: opened })
    else if (opened === undefined && resumes > 0 && !timedOut)
      await Decision.decide(decider, { kind: 'execution', executionId: id })
    const { run, approvedBy } =
      resumes > 0 ? (JSON.parse(suspendData ?? '{}') as Partial<SuspendRequest>) : {}
    const ofRun = run ? await deps.approversOfAnswered(run.id, user) : []
    const approvers = approvedBy && !timedOut ? [...ofRun, approvedBy] : ofRun
    if (approvers.length > 0) await decider.check({ kind: 'calls', executionId: id, approvers })
    const child = childId === null ? undefined : await deps.store.executions.history(childId)
    const ofChild = child && registry.find(child.row.workflowId)
    if (child && ofChild)
      await checkDecided(deps, decider, {
        id: child.row.id,
        user: userOf(child.row),
        workflow: ofChild,
        steps: child.steps,
        registry,
      })
  }
}

function userOf({ user }: ExecutionRow): User | undefined {
  return user === null ? undefined : (JSON.parse(user) as User)
}

interface CopyOptions {
  readonly workflow: RegisteredWorkflow
  readonly stepId: string
  /** Replaces the step's input; JSON text. */
  readonly input: string | undefined
  readonly pauseAt: StoredPauseAt
  readonly now: number
}

/**
 * The step rows that a replay starts with: the results before the step; the step itself and the steps that
 * enclose it, not yet run, with their inputs.
 */
function copySteps(rows: readonly StepRow[], options: CopyOptions): StepRow[] {
  const { workflow, stepId, input, pauseAt, now } = options
  const target = targetOf(rows, stepId, workflow)
  const { path, position } = target
  const place = workflow.placeAt(path)
  if (!place && input !== undefined) throw callTakesNone('input', stepId)
  const pauses = pausesBefore(pauseAt, { step: place?.step ?? { id: stepIdAt(path) }, path })
  const paused = (row: StepRow): StepRow => (pauses ? { ...row, status: 'suspended' } : row)
  const encloses = (outer: string) => isNestedIn(path, outer)
  const mayWinRace = (row: StepRow) =>
    rows.some(
      ({ type, path: race }) =>
        type === 'andRace' &&
        isWithin(path, race) &&
        isNestedIn(row.path, race) &&
        branchOf(row.path, race, workflow) !== branchOf(path, race, workflow),
    )
  // rows are in the order of their start, which counts within a millisecond
  const begunBefore = new Set(rows.slice(0, rows.indexOf(target)))
  const endedBefore = (row: StepRow) =>
    row.endedAt !== null &&
    (row.endedAt < target.startedAt || (row.endedAt === target.startedAt && begunBefore.has(row)))
  return rows.flatMap((row) => {
    if (row === target) return [paused(notStarted(input === undefined ? row : { ...row, input }, now))]
    if (encloses(row.path)) return [{ ...notStarted(row, now), items: row.items }]
    const earlier = place
      ? row.position < position ||
        (row.position === position && !isNestedIn(row.path, path) && !isLaterRound(row.path, path))
      : endedBefore(row) && !isNestedIn(row.path, path)
    if (!earlier) return []
    const order = orderInGroup({ path: row.path, target: path }, workflow)
    // another branch that has finished would win the race again before the step has run
    const isKept = order === 'caught' ? row.endedAt !== null : isDone(row) && order !== 'later'
    return isKept && !mayWinRace(row) ? [row] : []
  })
}

/** The recorded step of an id, which has rounds where the step ran in a loop: `lines[3]`. */
function targetOf(rows: readonly StepRow[], stepId: string, workflow: RegisteredWorkflow): StepRow {
  const call = rows.find(
    (row) => (row.path === stepId || row.stepId === stepId) && !workflow.placeAt(row.path),
  )
  if (call && workflow.hasCallsAt(call.path)) return call
  const [id = ''] = stepId.split('[')
  const place = workflow.placeOf(id)
  if (!place) throw new AppError('invalid_input', `stepId: the workflow has no step "${id}"`)
  const target = rows.find((row) => row.stepId === stepId && workflow.placeAt(row.path))
  if (target) return target
  const round = stepId === id ? rows.find((row) => workflow.placeAt(row.path) === place) : undefined
  throw new AppError(
    'invalid_input',
    round
      ? `stepId: the step "${stepId}" runs in rounds: name one of them, such as "${round.stepId}"`
      : `stepId: the execution did not reach the step "${stepId}"`,
  )
}

/** The number of the branch of a race to which a step belongs; none for the race itself. */
function branchOf(path: string, race: string, workflow: RegisteredWorkflow): number | undefined {
  const id = idBelow(path, race)
  const branches = workflow.placeAt(race)?.step.steps
  return id === undefined ? undefined : branches?.findIndex((branch) => isOneOf(branch, id))
}

/**
 * Where a step is in the group that it shares with another one. `caught`: it was tried, and has failed, before the step
 * that catches its failure.
 */
function orderInGroup(
  { path, target }: { readonly path: string; readonly target: string },
  workflow: RegisteredWorkflow,
): 'caught' | 'later' | undefined {
  let outer = outerPath(target)
  while (outer !== '' && !isNestedIn(path, outer)) outer = outerPath(outer)
  const around = outer === '' ? undefined : workflow.placeAt(outer)?.step
  const [id, targetId] = [idBelow(path, outer), idBelow(target, outer)]
  if (!around || id === undefined || targetId === undefined) return undefined
  if (around.type === 'andTry') {
    const [tried, catching] = around.steps.map((step) => (one: string) => isOneOf(step, one))
    if (tried?.(id) && catching?.(targetId)) return 'caught'
    if (catching?.(id) && tried?.(targetId)) return 'later'
  }
  const groups = around.type === 'group' ? [around] : around.steps
  const group = groups.find((step) => isOneOf(step, id) && isOneOf(step, targetId))
  const placeOf = (one: string) => group?.steps.findIndex((step) => step.id === one) ?? 0
  return group?.type === 'group' && placeOf(id) > placeOf(targetId) ? 'later' : undefined
}

/** The id of the step around a path, or at it, directly below another step. */
function idBelow(path: string, outer: string): string | undefined {
  return /^\/([^/[]+)/.exec(path.slice(outer.length))?.[1]
}

/** Whether a nested step has an id, or is a group with it. */
function isOneOf({ id, type, steps }: StepDefinition, one: string): boolean {
  return type === 'group' ? steps.some((step) => step.id === one) : id === one
}

/** Whether a step ran in a later round of a loop than another one. */
function isLaterRound(path: string, than: string): boolean {
  const rounds = [...than.matchAll(/\[(\d+)\]/g)]
  return rounds.some(({ 1: round, index }) => {
    const later = path.startsWith(than.slice(0, index)) && /^\[(\d+)\]/.exec(path.slice(index))
    return later && Number(later[1]) > Number(round)
  })
}

function isDone({ status, type }: Pick<StepRow, 'status' | 'type'>): boolean {
  return status === 'completed' || status === 'skipped' || (status === 'error' && type === 'andTap')
}

function notStarted(row: StepRow, now: number): StepRow {
  return { ...row, ...NEW_STEP, status: 'running', startedAt: now }
}
