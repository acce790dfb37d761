import type { LinkedSuspension } from '../run/run-context.ts'
import type { Agent } from '../../agent/agent.ts'
import { Decision } from '../../contract/access/decision.ts'
import type { Decider } from '../../contract/access/decision.ts'
import type { Approvers, Callers } from '../../contract/access/callers.ts'
import type { ExecutionResult, Misfit } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/to-json.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { CompiledSchema } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionHistory, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { isAtBreakpoint } from '../breakpoints/breakpoints.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import { resumedRow, unpausedRow } from '../record/step-rows.ts'
import { ownSchema } from '../events/find-event.ts'
import { callTakesNone, openTo } from '../registry.ts'
import { misfitText, openGoneSteps } from '../run/misfits.ts'
import { WAYS_OUT } from '../../contract/changed-code.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { SuspendRequest } from '../run/step-task.ts'
import type { Run } from '../run/run.ts'
import type { ExecutionRef } from './find.ts'
import type { GenerationHold } from '../registry.ts'
import type { Resumption } from './live-runs.ts'
import type { CommandDeps } from './live-runs.ts'
import { awaitResult, resultOfRun } from './remote-executions.ts'
import { findHistory, refOf } from './find.ts'
import { recordedResumption, resumeParents, waitingParents } from './parent-child.ts'
import { NOTHING, readAndContinue } from './continue-suspended.ts'

export interface ResumeOptions {
  /** Who requested it. */
  readonly decider: Decider
  /** The step that must be the suspended one. */
  readonly stepId?: string | undefined
  /** Replaces the data of the step that waits at a breakpoint. */
  readonly data?: unknown
  /** The steps before which it suspends from now on. Default: those of before. */
  readonly pauseAt?: readonly string[] | undefined
  /** The span that requested it. */
  readonly trace?: TraceScope | undefined
  /** It runs on with the code as it is, until it ends, also where its record does not fit. */
  readonly acceptChanges?: boolean | undefined
  /** The suspension that it is for: no later one of the same step. */
  readonly linked?: Pick<LinkedSuspension, 'resumes'> | undefined
}

export interface ResumeDeps extends CommandDeps {
  /**
   * Validates the responses to the calls that a run of a step's agent waits for. Resolves with who may approve them, as far
   * as their tools declare it.
   *
   * @throws AppError `invalid_input` naming the field; `conflict` when the run does not wait.
   */
  readonly checkResponses: (agent: Agent, runId: string, responses: unknown) => Promise<readonly Approvers[]>
}

type ResumeRequest = ResumeOptions & { readonly resumeData: unknown }

/** An allowed request. */
interface Resume extends ResumeRequest, Pick<Resumption, 'pause' | 'accepts'> {
  readonly decision: Decision
}

/**
 * Resumes a suspended execution, if the decider may, and waits until it settles. Of concurrent calls one succeeds. When the
 * execution waits for a suspended child, the child and its parents are resumed in one write.
 *
 * @throws AppError what the decider's rules throw; `not_found` or `not_resumable` (both 404); `invalid_input` for resume data that does not match
 *   the schema, another `stepId`, an unknown step in `pauseAt`, or `data` without a breakpoint; `conflict` when the workflow or the step no longer exists, or the record does not fit the code.
 */
export async function resume(
  deps: ResumeDeps,
  ref: ExecutionRef,
  request: ResumeRequest,
): Promise<ExecutionResult> {
  const run = await beginResume(deps, ref, request)
  const result = await (run ? resultOfRun(deps, run) : awaitResult(deps, ref.executionId))
  const misfits = result.suspension?.misfits
  if (misfits) throw doesNotFit(ref.executionId, misfits)
  return result
}

/** Nothing of it has run. Its record keeps the data of the resume. */
function doesNotFit(id: string, misfits: readonly Misfit[]): AppError {
  return new AppError('conflict', `Execution ${id} does not fit the changed code: ${misfitText(misfits)}`, {
    beside: { misfits, hint: WAYS_OUT },
  })
}

/** Resumes as `resume` does, and returns as soon as that is stored: the run, if it is in this process. */
export async function beginResume(
  deps: ResumeDeps,
  ref: ExecutionRef,
  request: ResumeRequest,
): Promise<Run | undefined> {
  const decision = await Decision.decide(request.decider, { kind: 'execution', ...ref })
  const accepts = request.acceptChanges ? [ref.executionId] : undefined
  const runs = await resumeRuns(deps, ref, { ...request, decision, accepts })
  if (runs.length === 0)
    throw new AppError('not_resumable', `Execution not found or not suspended: ${ref.executionId}`)
  // a parent that was still running when its child was resumed continues by itself
  return runs.find(({ record }) => record.id === ref.executionId) ?? deps.runs.get(ref.executionId)
}

/**
 * The runs that a resume starts: of the suspended execution, and of the parents that wait for it. None when it is
 * not suspended, or another call was first.
 */
async function resumeRuns(deps: ResumeDeps, ref: ExecutionRef, request: Resume): Promise<readonly Run[]> {
  const { trace: cause, decision, accepts } = request
  let childId: string | null | undefined
  let sequence: number | undefined
  const runs = await readAndContinue(deps, async (hold) => {
    const history = await findHistory(deps, ref)
    // read again because a parent has changed: the request never applies to a later suspension
    sequence ??= history.lastSequence
    const suspension = suspensionOf(history, request, hold.registry.find(history.row.workflowId))
    if (!suspension || history.lastSequence !== sequence) return NOTHING
    const { stepId, path } = suspension
    const workflow = currentWorkflow(history.row, suspension, { hold, deps, request })
    const gone = request.accepts ? openGoneSteps(history.steps, workflow) : []
    const recorded = history.steps.find((one) => one.path === path)
    const step = recorded && !gone.includes(recorded) ? recorded : undefined
    if (recorded && !step && request.resumeData !== undefined)
      throw new AppError('invalid_input', `resumeData: the suspended step "${stepId}" is gone`)
    if (request.linked && step?.resumes !== request.linked.resumes) return NOTHING
    childId = step?.childId
    if (childId) return NOTHING
    const isSuspended = step?.status === 'suspended'
    const isPaused = isSuspended && isAtBreakpoint(step)
    if (isSuspended && !isPaused) await checkWait(request.decider, openTo(workflow, step))
    const data = await checkedInput(request, { workflow, step: isPaused ? step : undefined })
    const takesData = isSuspended && !isPaused
    const resumeData = takesData
      ? await checkedData(deps, request, { row: history.row, workflow, step })
      : null
    const continued = isPaused
      ? unpausedRow(step, data ?? step.input, deps.clock.now())
      : step && resumedRow(step, resumeData)
    const execution = {
      history,
      workflow,
      stepId,
      data,
      ...(isSuspended && continued && { steps: [continued] }),
    }
    const parents = await waitingParents(deps, history.row, hold.registry)
    // what was decided when it did not fit stays the decision of whoever made it
    const kept = suspension.misfits && !takesData ? await recordedResumption(deps, history.row) : undefined
    const resumer = kept?.as ? { user: kept.user, as: kept.as, over: kept.over } : resumerOf(decision)
    const resumption = { resumeData, cause, ...resumer, pause: pauseOf(ref, request), accepts }
    return { executions: [execution, ...parents], resumption }
  })
  return childId ? resumeThroughChild(deps, { id: ref.executionId, childId }, request) : runs
}

/** Resumes the child that an execution waits for, or the execution itself when the child has ended. */
async function resumeThroughChild(
  deps: ResumeDeps,
  { id, childId }: { readonly id: string; readonly childId: string },
  request: Resume,
): Promise<readonly Run[]> {
  const { trace, decision } = request
  const pause = pauseOf({ executionId: id }, request)
  const accepts = request.accepts && [...request.accepts, childId]
  const child = await deps.store.executions.get(childId)
  if (child?.status === 'suspended')
    return resumeRuns(deps, { executionId: childId }, { ...request, stepId: undefined, pause, accepts })
  // a running child was resumed by another call; an ended one may have left its parent waiting
  if (child?.status === 'running') return []
  return resumeParents(
    deps,
    { id: childId, parentId: id },
    { resumeData: null, cause: trace, ...resumerOf(decision), pause, accepts },
  )
}

function resumerOf({ user, by, over }: Decision): Pick<Resumption, 'user' | 'as' | 'over'> {
  return { user, as: by, over }
}

/** The breakpoints that a request sets: of the execution that it names, also when a child of it is resumed. */
function pauseOf({ executionId }: ExecutionRef, { pause, pauseAt }: Resume): Resumption['pause'] {
  return pause ?? (pauseAt && { executionId, pauseAt })
}

/**
 * The suspension of an execution, or of what `stepId` names: another branch of it that waits at a breakpoint, or another of
 * several recorded calls that wait.
 */
function suspensionOf(
  { row: { status, suspension }, steps }: ExecutionHistory,
  { stepId }: Resume,
  workflow: RegisteredWorkflow | undefined,
): StoredSuspension | undefined {
  if (status !== 'suspended' || suspension === null) return undefined
  const stored = JSON.parse(suspension) as StoredSuspension
  if (stepId === undefined || stepId === stored.stepId || stepId === stored.path) return stored
  const isCall = ({ path }: StepRow) => workflow?.hasCallsAt(path) && !workflow.placeAt(path)
  const named = steps.find(
    (step) =>
      step.status === 'suspended' &&
      (step.stepId === stepId || step.path === stepId) &&
      (isAtBreakpoint(step) || (isCall(step) && step.childId === null)),
  )
  if (named) return { ...stored, stepId: named.stepId, path: named.path }
  throw new AppError(
    'invalid_input',
    `options.stepId: the suspended step is "${stored.stepId}", not "${stepId}"`,
  )
}

function currentWorkflow(
  row: ExecutionRow,
  { stepId, path, misfits }: StoredSuspension,
  {
    hold,
    deps,
    request,
  }: { readonly hold: GenerationHold; readonly deps: CommandDeps; readonly request: Resume },
): RegisteredWorkflow {
  const workflow = hold.registry.find(row.workflowId)
  if (!workflow)
    throw new AppError(
      'conflict',
      `The workflow "${row.workflowId}" was removed since the execution was suspended`,
    )
  // what did not fit is looked at again when it runs
  if (!misfits && !request.accepts && !workflow.placeAt(path) && !workflow.hasCallsAt(path))
    throw new AppError(
      'conflict',
      `The step "${stepId}" was removed from the workflow since the execution was suspended`,
      { beside: { misfits: [{ stepId, reason: 'it is recorded, and gone' }], hint: WAYS_OUT } },
    )
  if (workflow.hash !== row.definitionHash)
    deps.logger.warn(`Execution ${row.id} resumes with a workflow whose steps changed since it started`)
  return workflow
}

/**
 * The data that replaces that of a step which waits at a breakpoint, as JSON text; `undefined` when it is to be kept.
 *
 * @throws AppError `invalid_input` when the step does not take it.
 */
async function checkedInput(
  { resumeData, data }: Resume,
  { workflow, step }: { readonly workflow: RegisteredWorkflow; readonly step: StepRow | undefined },
): Promise<string | undefined> {
  if (step && resumeData !== undefined)
    throw new AppError(
      'invalid_input',
      'resumeData: the execution is suspended at a breakpoint, before its step; options.data replaces the data of the step',
    )
  if (data === undefined) return undefined
  if (!step)
    throw new AppError('invalid_input', 'options.data: the execution is not suspended at a breakpoint')
  const place = workflow.placeAt(step.path)
  if (!place && workflow.hasCallsAt(step.path)) throw callTakesNone('options.data', step.stepId)
  const checked = await (place && workflow.schemasOf(place.step).input)?.validate(data)
  if (checked && !checked.ok)
    throw new AppError(
      'invalid_input',
      `Data validation failed: ${formatIssues(checked.issues, 'options.data')}`,
    )
  return toJson(data, 'options.data')
}

/** Checks whether a decider may end the wait of a step for an event or a time. */
async function checkWait(decider: Decider, openTo: Callers | undefined): Promise<void> {
  if (openTo !== undefined) await decider.check({ kind: 'wait', openTo })
}

/** The data for a suspended step as JSON text: what its agent waits for, or what its schema requests. */
async function checkedData(
  deps: ResumeDeps,
  { resumeData, decider }: Resume,
  { row, workflow, step }: { row: ExecutionRow; workflow: RegisteredWorkflow; step: StepRow },
): Promise<string | null> {
  const place = workflow.placeAt(step.path)
  const { run, approvedBy } = JSON.parse(step.suspendData ?? '{}') as Partial<SuspendRequest>
  if (approvedBy) await decider.check({ kind: 'calls', ...refOf(row), approvers: [approvedBy] })
  const agent = place ? place.step.agent : run && (await agentOf(deps, run))
  if (!run || !agent) {
    const schema = place ? workflow.schemasOf(place.step).resume : ownSchema(step.suspendData)
    return checkResumeData(resumeData, schema)
  }
  const approvers = await deps.checkResponses(agent, run.id, resumeData)
  if (approvers.length > 0) await decider.check({ kind: 'calls', ...refOf(row), approvers })
  return toJson(resumeData, 'resumeData')
}

/** The agent of a run that a recorded call waits for. */
async function agentOf(
  { store, registry }: CommandDeps,
  run: { readonly id: string },
): Promise<Agent | undefined> {
  const [row] = await store.agentRuns.list({ id: run.id }, { limit: 1, offset: 0 })
  return row && registry().usedAgent(row.agentId)
}

async function checkResumeData(
  resumeData: unknown,
  schema: CompiledSchema | undefined,
): Promise<string | null> {
  if (!schema) return resumeData === undefined ? null : toJson(resumeData, 'resumeData')
  const checked = await schema.validate(resumeData)
  if (checked.ok) return toJson(checked.value, 'resumeData')
  throw new AppError(
    'invalid_input',
    `Resume data validation failed: ${formatIssues(checked.issues, 'resumeData')}`,
  )
}
