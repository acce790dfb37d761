import type { Decider } from '../../contract/access/decision.ts'
import type { User } from '../../contract/auth.ts'
import type {
  CancelPending,
  CancelResult,
  SuspendPending,
  SuspendResult,
} from '../../contract/endpoints/end-results.ts'
import type { EventResult } from '../../contract/endpoints/workflow.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import type { EventToSend } from '../../step/event-to-send.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { requireDatabase } from '../database-outage.ts'
import { acceptEvent } from '../events/accept-event.ts'
import type { SendOptions } from '../events/accept-event.ts'
import type { SendDeps } from '../events/event-starts.ts'
import { takeEvents } from '../events/take-events.ts'
import { awaitsEvent } from '../record/step-rows.ts'
import { JobRunner } from '../recovery/job-runner.ts'
import type { JobDeps } from '../recovery/job-runner.ts'
import { LookAgain } from '../recovery/look-again.ts'
import { StalledRuns } from '../recovery/stalled-runs.ts'
import type { Registry } from '../registry.ts'
import { StoreFailure, isControlFlow, storedError } from '../run/errors.ts'
import type { LinkedSuspension } from '../run/run-context.ts'
import type { Run } from '../run/run.ts'
import type { ChildRuns } from '../run/steps/child.ts'
import { Schedules } from '../schedules/schedules.ts'
import { AnswerExecutions } from './answers.ts'
import { cancel, cancelWithChildren } from './cancel.ts'
import type { CancelCommand } from './cancel.ts'
import { checkOpen, noLongerFitting } from './check-open.ts'
import type { WorkflowFit } from './check-open.ts'
import { followRemoteChanges } from './remote-executions.ts'
import { execute } from './execute.ts'
import type { ExecuteOptions, StartedExecution } from './execute.ts'
import { findExecution, findOwnership, refOf } from './find.ts'
import type { ExecutionRef, Ownership } from './find.ts'
import { findLinked, linkedSuspension } from './linked.ts'
import type { ShownSuspension } from './linked.ts'
import { keyedWaits } from './keyed-waits.ts'
import type { KeyedWait } from './keyed-waits.ts'
import { LiveRuns } from './live-runs.ts'
import type { CommandDeps, LiveRunsOptions, RunEnded, StopOptions } from './live-runs.ts'
import { changeChosen, countChosen } from './many.ts'
import type { Chosen, ManyChanged } from './many.ts'
import { awaitChild, prepareChild, resumeAfterChild, resumeParents } from './parent-child.ts'
import { replay } from './replay.ts'
import type { ReplayDeps, ReplayOptions } from './replay.ts'
import { beginResume, resume } from './resume.ts'
import type { ResumeDeps, ResumeOptions } from './resume.ts'
import { startOnce } from './start-once.ts'
import type { OnceOptions } from './start-once.ts'
import { suspend, suspendChild } from './suspend.ts'

export interface ExecutionsOptions
  extends Omit<LiveRunsOptions, 'children'>, Omit<SendDeps & ResumeDeps & ReplayDeps & JobDeps, 'runs'> {
  /** Ends a run of an agent that waits, and whose step needs no answer any more. */
  readonly endAnswer: (id: string) => Promise<void>
  /** Whether the schedules of the configuration start executions in this process. */
  readonly runsSchedules: boolean
  /** How long suspend waits for a step boundary, in milliseconds. */
  readonly suspendWaitMs: number
  /** How long cancel waits for compensations, in milliseconds. */
  readonly cancelWaitMs: number
}

/** `waitMs`: how long it waits for compensations; by default as long as configured. */
type CancelOptions = Pick<CancelCommand, 'user' | 'force'> & Partial<Pick<CancelCommand, 'waitMs'>>

/** The commands on executions: each is a function in the file of its name. */
export class Executions {
  readonly #deps: ExecutionsOptions & CommandDeps
  readonly #stalled: StalledRuns
  readonly #jobs: JobRunner
  readonly #look: LookAgain
  readonly schedules: Schedules
  readonly answers: AnswerExecutions

  constructor(deps: ExecutionsOptions) {
    const children: ChildRuns = {
      prepareChild: (child) => prepareChild(this.#deps, child),
      awaitChild: (id) => orStoreFailure(awaitChild(this.#deps, id)),
      cancelChild: (id, request) => orStoreFailure(cancelWithChildren(this.#deps, id, request)),
      endAnswer: (id) => orStoreFailure(deps.endAnswer(id)),
      suspendChild: (id, request) =>
        void suspendChild(this.#deps, id, request).catch((error: unknown) =>
          this.#logFailure(error, id, 'The child execution could not be suspended'),
        ),
    }
    const runs = new LiveRuns({ ...deps, children }, (run, ended) => this.#onRunEnded(run, ended))
    this.#deps = { ...deps, runs }
    this.answers = new AnswerExecutions(this.#deps)
    this.#stalled = new StalledRuns(this.#deps)
    this.schedules = new Schedules(this.#deps, { enabled: deps.runsSchedules })
    this.#jobs = new JobRunner(this.#deps, this.schedules)
    this.#look = new LookAgain(this.#deps)
  }

  /** The number of running executions, by workflow. */
  get running(): ReadonlyMap<string, number> {
    return this.#deps.runs.countByWorkflow
  }

  async execute(workflowId: string, input: unknown, options: ExecuteOptions = {}): Promise<StartedExecution> {
    requireDatabase(this.#deps.store)
    return execute(this.#deps, workflowId, { input, options })
  }

  async startOnce(workflowId: string, input: unknown, options: OnceOptions): Promise<StartedExecution> {
    requireDatabase(this.#deps.store)
    return startOnce(this.#deps, workflowId, { input, options })
  }

  suspend(
    ref: ExecutionRef,
    reason = 'Suspended by request',
    user?: User,
  ): Promise<SuspendResult | SuspendPending> {
    return suspend(this.#deps, ref, { reason, user, waitMs: this.#deps.suspendWaitMs })
  }

  async resume(ref: ExecutionRef, resumeData: unknown, options: ResumeOptions): Promise<ExecutionResult> {
    requireDatabase(this.#deps.store)
    return resume(this.#deps, ref, { ...options, resumeData })
  }

  /** Resumes as `resume` does, and returns as soon as that is stored. */
  async beginResume(ref: ExecutionRef, resumeData: unknown, options: ResumeOptions): Promise<void> {
    requireDatabase(this.#deps.store)
    await beginResume(this.#deps, ref, { ...options, resumeData })
  }

  /** What a suspended execution waits for, or that of an answer. */
  waits(row: ExecutionRow): Promise<readonly KeyedWait[]> {
    return keyedWaits(this.#deps, row)
  }

  /** The suspension of an execution to which a signed link can lead. */
  linked(row: ExecutionRow): Promise<LinkedSuspension | undefined> {
    return linkedSuspension(this.#deps, row, this.#deps.linkTtlMs())
  }

  /** The suspension of a signed link, as long as it waits. */
  findLinked(linked: LinkedSuspension, decider: Decider): Promise<ShownSuspension | undefined> {
    return findLinked(this.#deps, linked, decider)
  }

  /** Resumes the suspension of a signed link, without waiting for the execution. Throws AppError as `resume`. */
  async resumeLinked(linked: LinkedSuspension, resumeData: unknown, decider: Decider): Promise<void> {
    const { executionId, path: stepId } = linked
    const row = await this.#deps.store.executions.get(executionId)
    const ref = row ? refOf(row) : { executionId }
    await this.beginResume(ref, resumeData, { decider, stepId, linked })
  }

  async sendEvent(event: EventToSend, options: SendOptions = {}): Promise<EventResult> {
    requireDatabase(this.#deps.store)
    return acceptEvent(this.#deps, event, { ...options, onCancelled: (id) => this.#startNext(id) })
  }

  async cancel(
    ref: ExecutionRef,
    reason = 'Cancelled by request',
    { user, force, waitMs = this.#deps.cancelWaitMs }: CancelOptions = {},
  ): Promise<CancelResult | CancelPending> {
    const cancelled = await cancel(this.#deps, ref, { reason, user, force, waitMs })
    if (cancelled.status === 'cancelled') this.#startNext(ref.executionId)
    return cancelled
  }

  async replay(ref: ExecutionRef, stepId: string, options: ReplayOptions): Promise<StartedExecution> {
    requireDatabase(this.#deps.store)
    return replay(this.#deps, ref, { ...options, stepId })
  }

  /** How many executions a filter chooses for a change. */
  countChosen(chosen: Chosen): Promise<number> {
    return countChosen(this.#deps.store, chosen)
  }

  /** Changes each execution that a filter chooses. */
  changeChosen<Result>(
    chosen: Chosen,
    change: (row: ExecutionRow) => Promise<Result | undefined>,
  ): Promise<ManyChanged<Result>> {
    requireDatabase(this.#deps.store)
    return changeChosen(this.#deps.store, chosen, change)
  }

  /** The id of the step from which an execution is replayed by default: the one that failed, else the first. */
  async stepToReplay({ id, error }: ExecutionRow): Promise<string> {
    const failed = error === null ? undefined : storedError(error).stepId
    const [first] = failed === undefined ? await this.#deps.store.executions.steps(id) : []
    const stepId = failed ?? first?.stepId
    if (stepId === undefined) throw new AppError('invalid_input', 'The execution has no step to start from')
    return stepId
  }

  /** The row of an execution; throws AppError `not_found`. */
  find(ref: ExecutionRef): Promise<ExecutionRow> {
    return findExecution(this.#deps, ref)
  }

  /** Whose an execution is; throws AppError `not_found`. */
  ownership(ref: ExecutionRef): Promise<Ownership> {
    return findOwnership(this.#deps, ref)
  }

  /** Follows the changes of other machines until the returned function is called. */
  followRemoteChanges(): () => void {
    return followRemoteChanges(this.#deps)
  }

  /**
   * Starts to do the jobs of the dispatcher: first it continues the executions of processes that have ended. Resolves when
   * a job is stored for each.
   */
  async start(): Promise<void> {
    await this.schedules.start()
    await configureQueue(this.#deps)
    await this.#jobs.start()
  }

  /** Resolves when what was due at the start has been handled. */
  recovered(): Promise<void> {
    return this.#jobs.recovered()
  }

  /** Recovers executions whose workflow exists again, and those whose changes the store failed to record. */
  async recover(): Promise<void> {
    await this.schedules.update()
    await configureQueue(this.#deps)
    await Promise.all([this.#stalled.recover(), this.#jobs.retry()])
  }

  /** The code may have changed: continues executions that wait for that, if their records fit it now. Does not reject. */
  lookAgain(): Promise<void> {
    return this.#look.look()
  }

  /** How open executions fit the code: at most `most`, suspended ones first. */
  checkOpen(most: number): Promise<WorkflowFit[]> {
    const { registry, ...deps } = this.#deps
    return checkOpen({ ...deps, registry: registry(), most })
  }

  /** The suspended executions that do not fit the code any more, of each workflow at most `limit`. */
  noLongerFitting(before: Registry, limit: number): Promise<WorkflowFit[]> {
    const { registry, ...deps } = this.#deps
    return noLongerFitting({ ...deps, before, registry: registry(), limit })
  }

  /** Stops all runs at their next step boundary, or after `graceMs` wherever they are. */
  stop(options: StopOptions): Promise<void> {
    this.#stalled.stop()
    return this.#deps.runs.stop(options)
  }

  #onRunEnded(run: Run, { end, resumption }: RunEnded): void {
    const { row } = run.record
    if (end.kind === 'stopped' && end.cause instanceof StoreFailure) this.#stalled.add(row.id, end.cause)
    if (end.kind !== 'settled') return
    if (end.outcome.status === 'suspended') this.#takeEvents(run)
    else this.#startNext(row.id)
    const isAwaited = row.parentId !== null && !this.#deps.runs.get(row.parentId)
    const resuming =
      end.outcome.status === 'suspended'
        ? resumeAfterChild(this.#deps, run, end.outcome)
        : isAwaited
          ? resumeParents(this.#deps, row, resumption)
          : undefined
    resuming?.catch((error: unknown) =>
      this.#logFailure(error, row.id, 'The parent execution could not be resumed'),
    )
  }

  /** Starts the execution of a schedule that waits for this one, if there is one. */
  #startNext(executionId: string): void {
    this.schedules
      .onEnded(executionId)
      ?.catch((error: unknown) =>
        this.#logFailure(error, executionId, 'The next execution of the schedule could not be started'),
      )
  }

  /** Events that came while the execution was being suspended found it running. */
  #takeEvents({ record }: Run): void {
    if (![...record.steps.values()].some((step) => awaitsEvent(step))) return
    takeEvents(this.#deps, record.id).catch((error: unknown) =>
      this.#logFailure(error, record.id, 'The events of the execution could not be read'),
    )
  }

  #logFailure(err: unknown, executionId: string, text: string): void {
    this.#deps.logger.error({ err, executionId }, text)
  }
}

/** What fails between executions is no failure of a step: the run waits for the database. */
async function orStoreFailure<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    throw isControlFlow(error) ? error : new StoreFailure(error)
  }
}

/** Stores the limits of the current workflows, which apply to those that wait already. */
async function configureQueue({
  store,
  registry,
  clock,
}: Pick<CommandDeps, 'store' | 'registry' | 'clock'>): Promise<void> {
  const limits = registry()
    .list()
    .flatMap(({ queue }) => queue?.limits ?? [])
  await store.queue.configure(limits, clock.now())
}
