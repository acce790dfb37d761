import { enterPart } from '../../calls/current-server.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { Scope } from '../../lib/async/scope.ts'
import { FUNCTION_ID } from '../../workflow/definition.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import { isStored, requireStored } from '../record/commit.ts'
import type { Commit } from '../record/commit.ts'
import { compensationStart, endingOf } from '../record/compensation.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { outcomeChange } from '../record/outcome-change.ts'
import { encodeJson, encodeValue } from '../record/values.ts'
import { compensate } from './compensate.ts'
import { CrashGuard } from './crash-guard.ts'
import {
  RunAborted,
  StepFailure,
  StoreFailure,
  SuspendSignal,
  recordError,
  recordStepError,
} from './errors.ts'
import type { ErrorRecording } from './errors.ts'
import { FunctionRunContext } from './function-context.ts'
import { misfitText, checkFits } from './misfits.ts'
import type { EndOptions, EndRequest, EndingOutcome, RunEnd, RunOutcome } from './outcome.ts'
import { recordedPath } from './recorded-path.ts'
import { callRunner, runStep } from './recorded-step.ts'
import type { RunContext } from './run-context.ts'
import type { RunTrace } from './run-trace.ts'
import type { StepDeps } from './step-deps.ts'
import { StepPart } from './step-part.ts'
import type { SuspendRequest } from './step-task.ts'
import type { ChildRuns } from './steps/child.ts'
import { RunActivity } from './steps/run-activity.ts'
import type { FindEvent } from './steps/wait-for-event.ts'
import type { Trials } from './trials.ts'

export interface RunDeps {
  readonly context: RunContext
  readonly record: DurableRecord
  readonly children: ChildRuns
  readonly trace: RunTrace
  readonly trials: Trials
  readonly errors: ErrorRecording
  readonly random: () => number
  readonly findEvent: FindEvent
  readonly onCall?: OnCall | undefined
}

/** Called with each recorded call that a function makes, in every pass of it. */
export type OnCall = (call: { readonly executionId: string; readonly path: string }) => void

/** An execution while it runs in this process. */
export class Run {
  readonly record: DurableRecord
  readonly ended: Promise<RunEnd>
  readonly #deps: RunDeps
  #scope = new Scope()
  readonly #crashes: CrashGuard
  #firstCommit: Promise<Commit> | undefined
  readonly #ended = createDeferred<RunEnd>()
  #stop: SuspendRequest | RunAborted | undefined
  readonly #waits = new Set<() => void>()
  /** How the execution ends after its completed steps are compensated. */
  #ending: EndingOutcome | undefined
  /** The recorded calls that have a compensation, by path. */
  readonly #calls = new Map<string, StepDefinition>()
  /** The value that made the run fail, for the log. */
  #thrown: unknown

  constructor(deps: RunDeps) {
    this.#deps = deps
    this.record = deps.record
    this.#crashes = new CrashGuard(deps.record, deps.trials)
    this.ended = this.#ended.promise
    deps.record.onFenced = () => this.abandon()
    this.#ending = endingOf(deps.record.row)
    const request = deps.record.row.suspendRequest
    if (request !== null) this.requestSuspend(JSON.parse(request) as EndRequest)
  }

  /** Starts running the steps. The caller has staged the first change in this turn. */
  start(): void {
    this.#firstCommit = this.record.commit()
    void (this.record.slots.decided ? this.#driveWithSlot() : this.#drive())
  }

  /**
   * Waits until the run's first change is stored; `false` when the store refused it.
   *
   * @throws StoreFailure when the store failed.
   */
  async started(): Promise<boolean> {
    return isStored(await (this.#firstCommit ?? this.record.commit()))
  }

  /** A time or an event has come for which a step may wait: the waiting steps look again. */
  wake(): void {
    for (const look of this.#waits) look()
  }

  /** Suspends at the next step boundary. */
  requestSuspend({ reason, by }: EndRequest): void {
    if (this.#ending) return
    this.#stop ??= { reason, data: null, resumeSchema: null, by }
    this.record.pause.abort(new RunAborted('suspending', reason, by))
  }

  /**
   * Stops at the next step boundary. The execution stays `running`, for the next owner to recover. `abortSignals` aborts
   * the signals of the running steps: an attempt that fails then is repeated by the next owner, and not recorded.
   */
  requestStop({ abortSignals = false, crashed = false } = {}): void {
    const reason = new RunAborted('stopping', 'The server is stopping')
    this.#stop = reason
    if (!crashed) this.#crashes.exemptRunning()
    this.record.pause.abort(reason)
    if (abortSignals) this.#scope.abortSignals(reason)
  }

  /** Stops immediately; the running attempt is not recorded. */
  abort(): void {
    const reason = new RunAborted('stopping', 'The server is stopping')
    this.#abort(reason, { kind: 'stopped', cause: reason })
  }

  /**
   * Stops immediately and stores nothing more: another machine has taken the execution over, or has ended it. The agents
   * of a step are continued by the new owner.
   */
  abandon(code: 'fenced' | 'ended' = 'fenced'): void {
    const message = code === 'ended' ? 'The execution has ended' : 'The execution has another owner'
    this.#abort(new RunAborted(code, message), { kind: 'fenced' })
  }

  #abort(reason: RunAborted, end: RunEnd): void {
    this.record.close()
    this.#scope.abort(reason)
    this.#ended.resolve(end)
  }

  /**
   * Ends immediately, or, if completed steps have a compensation, after these: `compensating`, when that is stored. `force`
   * leaves the compensations, also those that have not ended. `undefined` when the run has settled already.
   */
  async end(
    ending: EndingOutcome,
    { eventId, force = false }: EndOptions = {},
  ): Promise<EndingOutcome | 'compensating' | undefined> {
    if (this.record.closed) return undefined
    if (eventId !== undefined) this.record.take(eventId)
    const hasToCompensate = this.#ending !== undefined || this.#hasCompensations
    if (hasToCompensate && !force) {
      if (!this.#ending) this.#beginCompensations(ending)
      return isStored(await this.record.commit()) ? 'compensating' : undefined
    }
    const outcome: EndingOutcome = { ...ending, ...(hasToCompensate && { compensation: 'failed' }) }
    this.#stageOutcome(outcome)
    this.#scope.abort(new RunAborted('cancelled', becauseOf(ending)))
    const end = await this.#settle(outcome)
    if (end.kind === 'stopped' && end.cause instanceof StoreFailure) throw end.cause
    return end.kind === 'settled' ? outcome : undefined
  }

  /** Without a slot it ends here: whoever has room continues it when it gets one. */
  async #driveWithSlot(): Promise<void> {
    if ((await this.#firstCommit) === 'full') {
      this.record.close()
      this.#ended.resolve({ kind: 'full' })
    } else if (this.record.slots.queued) this.abandon()
    else await this.#drive()
  }

  async #drive(): Promise<void> {
    const outcome = this.#ending ? undefined : await this.#runSteps()
    if (this.record.closed) return
    if (outcome && isEnding(outcome) && !this.#ending && this.#hasCompensations)
      this.#beginCompensations(outcome)
    // a cancel may have begun them
    const settled = this.#ending ? await this.#compensate(this.#ending) : outcome
    if (!settled || this.record.closed) return
    this.#stageOutcome(settled)
    await this.#settle(settled)
  }

  get #hasCompensations(): boolean {
    for (const { completion } of this.record.steps.values()) if (completion !== null) return true
    return false
  }

  /** Ends the steps, and records that the completed ones are compensated from now on. */
  #beginCompensations(ending: EndingOutcome): void {
    const { record } = this
    this.#ending = ending
    record.stage(compensationStart(ending))
    this.#scope.abort(new RunAborted('cancelled', becauseOf(ending)))
    this.#scope = new Scope()
    // it can't be suspended any more
    if (this.#stop instanceof RunAborted) return
    this.#stop = undefined
    record.pause = new Scope()
  }

  async #compensate(ending: EndingOutcome): Promise<RunOutcome | undefined> {
    const { record } = this
    try {
      // what was open is cancelled in the store
      requireStored(await record.commit())
      const compensation = await compensate(this.#stepDeps(), this.#scope, { ending, calls: this.#calls })
      return { ...ending, at: record.now(), compensation }
    } catch (error) {
      await this.#endWithoutOutcome(error)
      return undefined
    }
  }

  #stepDeps(): StepDeps {
    const { context, record, children, trace, errors, random, findEvent } = this.#deps
    // in V8, adding members after a spread takes ten times as long
    return {
      context,
      record,
      children,
      trace,
      errors,
      random,
      findEvent,
      crashes: this.#crashes,
      activity: new RunActivity(),
      stopRequest: () => this.#stop,
      waits: this.#waits,
      onCall: (path, step) => {
        this.#deps.onCall?.({ executionId: this.record.id, path })
        if (step.compensate) this.#calls.set(path, step)
      },
      collectsAt: undefined,
    }
  }

  /** Runs the steps until the execution settles; `undefined` when the run stopped without an outcome. */
  async #runSteps(): Promise<RunOutcome | undefined> {
    const { record, errors } = this.#deps
    try {
      const output = await interpret(this.#stepDeps(), this.#scope)
      return { status: 'completed', at: record.now(), output }
    } catch (error) {
      // a cancel has ended the steps, and the completed ones are compensated
      if (this.#ending && !(error instanceof StoreFailure)) return undefined
      if (error instanceof SuspendSignal) return this.#suspendedOutcome(error)
      if (error instanceof RunAborted || error instanceof StoreFailure) {
        await this.#endWithoutOutcome(error)
        return undefined
      }
      const failure = error instanceof StepFailure ? error : undefined
      this.#thrown = failure ? (failure.cause ?? failure.recorded) : error
      return { status: 'error', at: record.now(), error: failure?.recorded ?? recordError(error, errors) }
    }
  }

  #suspendedOutcome({ place, request }: SuspendSignal): RunOutcome {
    const { workflow } = this.#deps.context
    const { step, path, index } = place
    const { resumeSchema = workflow.schemasOf(step).resume?.input ?? null } = request
    return { status: 'suspended', at: this.record.now(), place: { step, path, index }, request, resumeSchema }
  }

  async #endWithoutOutcome(cause: unknown): Promise<void> {
    if ((await this.#firstCommit) === 'refused') return this.#ended.resolve({ kind: 'refused' })
    // a cancelled run is closed, and settles in `cancel`
    if (!this.record.closed) {
      this.record.close()
      this.#ended.resolve({ kind: 'stopped', cause })
    }
  }

  #stageOutcome(outcome: RunOutcome): void {
    this.record.close(outcomeChange(outcome, this.record.row))
  }

  /** Ends the run according to the store's reply to its last change. */
  async #settle(outcome: RunOutcome): Promise<RunEnd> {
    const end = endOf(await this.record.commit(), outcome)
    // the failure of an answer is logged by its agent
    const isLogged = this.record.row.kind === 'workflow'
    if (end.kind === 'settled' && outcome.status === 'error' && isLogged) this.#logFailure(outcome.error)
    if (end.kind === 'settled' && outcome.status === 'suspended') this.#logMisfits(outcome.request)
    this.#ended.resolve(end)
    return end
  }

  #logMisfits({ misfits }: SuspendRequest): void {
    const { logger, logBindings } = this.#deps.context
    if (misfits)
      logger.warn(logBindings, `Execution waits: it does not fit the changed code: ${misfitText(misfits)}`)
  }

  /** Logs the stack too, even where records leave it out. */
  #logFailure(error: ExecutionError): void {
    const { logger, logBindings } = this.#deps.context
    logger.error({ ...logBindings, stepId: error.stepId, err: this.#thrown ?? error }, 'Execution failed')
  }
}

function becauseOf(ending: EndingOutcome): string {
  return ending.status === 'cancelled' ? `Cancelled: ${ending.reason}` : ending.error.message
}

function isEnding(outcome: RunOutcome): outcome is EndingOutcome {
  return outcome.status === 'error' || outcome.status === 'cancelled'
}

function endOf(commit: Commit, outcome: RunOutcome): RunEnd {
  if (commit === 'stored') return { kind: 'settled', outcome }
  return commit instanceof StoreFailure ? { kind: 'stopped', cause: commit } : { kind: commit }
}

/** Runs a workflow, and returns its result. What is recorded is not run again. All values are JSON text. */
async function interpret(deps: StepDeps, scope: Scope): Promise<string> {
  const { workflow, input, resultBytes: limit } = deps.context
  if (workflow.definition.run) return callFunction(deps, scope)
  if (deps.record.steps.size > 0) await checkFits(deps.record, workflow)
  let data = input
  for (const step of workflow.definition.steps)
    data = await runStep(deps, scope, { step, path: recordedPath(deps.record.steps, step), rounds: [], data })
  const { result: schema } = workflow
  if (!schema) return data
  try {
    return await encodeValue(JSON.parse(data), { name: 'result', schema, limit })
  } catch (error) {
    throw misfit(error, deps)
  }
}

/** The result does not fit the schema of the workflow: the error leads to the last step, which returned it. */
function misfit(error: unknown, { context: { workflow }, errors }: StepDeps): unknown {
  const step = workflow.definition.steps.at(-1)
  return step
    ? new StepFailure(recordStepError(error, { step, path: step.id, index: 0 }, errors), error)
    : error
}

/** Calls the function of a workflow, from its top. */
async function callFunction(deps: StepDeps, scope: Scope): Promise<string> {
  const { workflow, resultBytes: limit } = deps.context
  const run = workflow.definition.run as (context: FunctionRunContext) => unknown
  // what is not recorded runs now
  requireStored(await deps.record.commit())
  const context = new FunctionRunContext(deps, scope, callRunner(deps))
  try {
    const part = new StepPart(deps.record.row, FUNCTION_ID, { trace: deps.trace.scope, scope })
    const call = () => enterPart(part, () => context.whileInPass(run(context)))
    const result = await scope.guard(Promise.resolve(deps.trace.run(call)))
    if (context.pass) await context.pass.end()
    const { result: schema } = workflow
    const name = 'result'
    return schema ? await encodeValue(result, { name, schema, limit }) : encodeJson(result, { name, limit })
  } catch (error) {
    throw context.pass ? await context.pass.fail(error) : error
  }
}
