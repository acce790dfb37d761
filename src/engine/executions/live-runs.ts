import { setMaxListeners } from 'node:events'
import type { Agent } from '../../agent/agent.ts'
import type { DeciderKind, ResumeInterface } from '../../contract/access/decision.ts'
import type { User } from '../../contract/auth.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import type { LiveItem } from '../../lib/async/live-queue.ts'
import { delay } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { Scope } from '../../lib/async/scope.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import type { NewId } from '../../lib/ids.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionHistory, ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { EngineMeter, MeteredEvent } from '../engine-meter.ts'
import { whenAvailable } from '../database-outage.ts'
import { cancelPaths, cancelTopics } from '../events/cancel-waits.ts'
import type { FinalStatus } from '../../contract/is-final.ts'
import type { Hook } from '../../workflow/hooks.ts'
import { findEvent } from '../events/find-event.ts'
import type { EventSearchDeps } from '../events/find-event.ts'
import { CommitQueue } from '../record/commit-queue.ts'
import { workflowStarted } from '../record/execution-events.ts'
import { DurableRecord } from '../record/execution-record.ts'
import { timeOutJob, hooksJob } from '../record/hooks-job.ts'
import { newExecutionRow, startNewExecutionSpan } from '../record/new-execution.ts'
import type { NewExecution } from '../record/new-execution.ts'
import type { GenerationHold, RegisteredWorkflow, Registry } from '../registry.ts'
import type { RunEnd } from '../run/outcome.ts'
import { StoreFailure } from '../run/errors.ts'
import type { FoundEvent } from '../run/steps/wait-for-event.ts'
import type { ExecutionQuestion, LinkedSuspension, StepAnswer, TracedQuestion } from '../run/run-context.ts'
import { RunTrace, endExecution, startContinuedSpan, startHooksSpan } from '../run/run-trace.ts'
import { stepPlaceOf } from '../run/ended-steps.ts'
import { HookRun } from '../run/hook-run.ts'
import { endStarted } from '../run/steps/child.ts'
import { liveAnswer } from '../run/steps/live-answer.ts'
import { Run } from '../run/run.ts'
import type { RunDeps } from '../run/run.ts'
import { NOBODY } from '../../store/queue-store.ts'
import { ANY_EXECUTION } from '../../store/remote-changes.ts'
import { logCommand } from '../record/log-command.ts'

/** What the commands share. */
export interface CommandDeps extends EventSearchDeps {
  readonly runs: LiveRuns
  readonly clock: Clock
  /** Receives the id of an execution, and then `ANY_EXECUTION`, when changes of it were stored. */
  readonly hub: EventHub
  /** The current generation, without holding it: for reads. */
  readonly registry: () => Registry
  /** Holds the current generation. */
  readonly hold: () => GenerationHold
  readonly meter: EngineMeter
  /** Runs user code so that its calls are made on the server of this engine. */
  readonly enter: <T>(work: () => T) => T
}

/** What runs in this process need. */
export interface LiveRunsOptions
  extends
    Omit<CommandDeps, 'runs' | 'hold'>,
    Pick<RunDeps, 'errors' | 'random' | 'trials' | 'onCall' | 'children'> {
  readonly newId: NewId
  /** What happens in the answers of agents to steps, by execution. It is not stored. */
  readonly live: EventHub<LiveItem>
  /** The maximum number of items of an andForEach step. */
  readonly maxItems: number
  /** The maximum number of recorded calls of a function. */
  readonly maxCalls: number
  /** The maximum number of executions that wait for a slot. */
  readonly maxQueued: number
  /** The URL of a link to a suspension; `undefined` where there is none, which the log explains. */
  readonly linkTo: (suspension: LinkedSuspension) => string | undefined
  /** How long a link to a suspension without a timeout is valid, in milliseconds. */
  readonly linkTtlMs: () => number
  /** Requests an answer from an agent for a step; the trace is that of its execution. */
  readonly ask: (agent: Agent, question: ExecutionQuestion) => Promise<StepAnswer>
  /** The scope in which new traces start. */
  readonly trace: () => TraceScope
}

/** What a resume passes to each execution that it continues. */
export interface Resumption {
  /** JSON text. */
  readonly resumeData: string | null
  /** The span that requested it. */
  readonly cause?: TraceScope | undefined
  /** The authenticated user who requested it. */
  readonly user?: User | undefined
  /** As whom it was requested, and over which interface. */
  readonly as?: DeciderKind | undefined
  readonly over?: ResumeInterface | undefined
  /** The breakpoints that one of them has from now on. */
  readonly pause?: { readonly executionId: string; readonly pauseAt: readonly string[] } | undefined
  /** The ids of those that run on with the code as it is, also where their records do not fit it. */
  readonly accepts?: readonly string[] | undefined
}

interface Launch {
  readonly workflow: RegisteredWorkflow
  /** Released when the run ends. */
  readonly hold: GenerationHold
}

interface Continuation extends Launch {
  /** The resume that it continues after; none when it is recovered. */
  readonly resumption?: Resumption
}

interface LiveRun {
  readonly run: Run
  readonly hold: GenerationHold
  readonly resumption: Resumption | undefined
}

export interface RunEnded {
  readonly end: RunEnd
  /** The resume after which it continued. */
  readonly resumption: Resumption | undefined
}

/** How running executions and agents are stopped. */
export interface StopOptions {
  /** The time after which they are stopped wherever they are. */
  readonly graceMs: number
  /** Abort the signals of steps and agents at once, instead of after `graceMs`. */
  readonly abortSignals?: boolean | undefined
  /** The process ends because of an uncaught error, which may be that of a running step. */
  readonly crashed?: boolean | undefined
}

/** Executions whose hooks run in this process at the same time; those of others wait in their jobs. */
const MAX_HOOK_RUNS = 1000

/** The executions that run in this process. */
export class LiveRuns {
  readonly #deps: LiveRunsOptions
  readonly #queue: CommitQueue
  readonly #runs = new Map<string, LiveRun>()
  /** The hooks that run in this process, by execution. */
  readonly #hooks = new Map<string, HookRun>()
  readonly #recovering = new Map<string, Promise<Run | undefined>>()
  readonly #countByWorkflow = new Map<string, number>()
  readonly #onEnded: (run: Run, ended: RunEnded) => void
  readonly #randomHex = randomHexGenerator()
  /** Changes that are being stored and may start a run, by execution. */
  readonly #starting = new Map<string, Promise<unknown>>()
  /** Aborts when the server stops. */
  readonly #stop = new Scope()

  constructor(deps: LiveRunsOptions, onEnded: (run: Run, ended: RunEnded) => void) {
    this.#deps = deps
    this.#queue = new CommitQueue(deps.store.executions)
    this.#onEnded = onEnded
    // each caller who waits for an execution of another machine listens
    setMaxListeners(0, this.stopSignal)
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id)?.run
  }

  /** The generation that a run holds. */
  holdOf(id: string): GenerationHold | undefined {
    return this.#runs.get(id)?.hold
  }

  /** The resume after which a run continued. */
  resumptionOf(id: string): Resumption | undefined {
    return this.#runs.get(id)?.resumption
  }

  /** Whether the server stops: nothing new is started. */
  get stopping(): boolean {
    return this.#stop.reason !== undefined
  }

  /** Aborts when the server stops. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal
  }

  /** The ids of the running executions. */
  ids(): Iterable<string> {
    return this.#runs.keys()
  }

  /** The number of running executions. */
  get count(): number {
    return this.#runs.size
  }

  /** The number of running executions, by workflow. */
  get countByWorkflow(): ReadonlyMap<string, number> {
    return this.#countByWorkflow
  }

  /**
   * Starts a new execution; its first changes are stored together with the start of its first step.
   *
   * @throws AppError `conflict` when an execution with this id runs; `unavailable` when the server stops; `invalid_input` when
   *   its input does not suit `cancelOn`.
   */
  start(execution: NewExecution, hold: GenerationHold): Run {
    const { newId, clock, store, trace } = this.#deps
    const id = execution.id ?? newId()
    if (this.stopping) throw shuttingDown()
    if (this.#runs.has(id)) throw new AppError('conflict', `Execution id already used: ${id}`)
    const cancels = cancelTopics(execution.workflow.definition, execution)
    // an answer has the span of its agent
    const isAnswer = execution.workflow.kind === 'answer'
    const span = isAnswer ? NO_TRACE.start('') : startNewExecutionSpan(execution, { id, root: trace() })
    const spanIds = span.spanIds ?? {
      traceId: execution.traceId ?? this.#randomHex(16),
      spanId: this.#randomHex(8),
    }
    const row = newExecutionRow(execution, { id, ownerEpoch: store.ownerEpoch, now: clock.now(), spanIds })
    const record = DurableRecord.create(row, execution.steps ?? [], this.#recordDeps(row))
    if (execution.storedWith) record.storeWith(execution.storedWith)
    const { startedBy, replayedBy, origin } = execution
    if (execution.takes !== undefined) record.take(execution.takes)
    record.cancelOn(cancels)
    record.slots.start(execution, this.#deps.maxQueued)
    const timeOut = timeOutJob(row)
    record.stage({
      at: row.createdAt,
      ...(timeOut && { jobs: { add: [timeOut] } }),
      events: [workflowStarted(execution.input, { startedBy, replayedBy, origin })],
    })
    if (!isAnswer)
      logCommand(
        this.#deps.logger,
        row,
        replayedBy === undefined ? 'Execution started' : 'Execution replayed',
        { startedBy, replayedBy },
      )
    return this.#launch(record, span, { workflow: execution.workflow, hold })
  }

  /** The record of a stored execution, to be changed by this process. */
  acquire(history: ExecutionHistory): DurableRecord {
    return DurableRecord.acquire(history, this.#deps.store.ownerEpoch, this.#recordDeps(history.row))
  }

  /** The record of a stored execution that another machine may be changing, for one change. */
  amend(row: ExecutionRow, steps: readonly StepRow[]): DurableRecord {
    return DurableRecord.amend({ row, steps }, this.#deps.store.ownerEpoch, this.#recordDeps(row))
  }

  /** Continues an execution from its record. */
  continue(record: DurableRecord, { workflow, hold, resumption }: Continuation): Run {
    const cause = resumption?.cause
    const root = this.#deps.trace()
    const span =
      workflow.kind === 'answer'
        ? NO_TRACE.start('')
        : startContinuedSpan(record.row, workflow, { root, cause })
    return this.#launch(record, span, { workflow, hold, ...(resumption && { resumption }) })
  }

  /** Ends what steps had started that are cancelled while their execution continues. */
  endStarted(steps: readonly StepRow[], reason: string): void {
    const { children, logger } = this.#deps
    for (const step of steps) {
      endStarted(children, step, reason).catch((err: unknown) =>
        logger.error({ err, stepId: step.stepId }, 'What the cancelled step had started could not be ended'),
      )
    }
  }

  /** The hooks of an execution that run in this process. */
  hooksOf(id: string): HookRun | undefined {
    return this.#hooks.get(id)
  }

  /** Whether more hooks can run here. */
  get hasRoomForHooks(): boolean {
    return !this.stopping && this.#hooks.size < MAX_HOOK_RUNS
  }

  /** Runs hooks of an execution that has ended. */
  runHooks(history: ExecutionHistory, hooks: readonly Hook[], { workflow, hold }: Launch): void {
    const { row } = history
    const record = this.acquire(history)
    const root = this.#deps.trace()
    const span = startHooksSpan(row, workflow, root)
    const run = new HookRun(this.#runDeps(record, workflow, span))
    this.#hooks.set(row.id, run)
    void run.ended.then(() => {
      span.end()
      this.#hooks.delete(row.id)
      hold.release()
    })
    this.#deps.enter(() => run.start(hooks, hooksJob(row.id).key))
  }

  /** Notes that a change, which is being stored, may start runs of executions. */
  announce(ids: readonly string[], change: Promise<unknown>): void {
    for (const id of ids) {
      const changes = Promise.allSettled([this.#starting.get(id), change])
      this.#starting.set(id, changes)
      void changes.then(() => {
        if (this.#starting.get(id) === changes) this.#starting.delete(id)
      })
    }
  }

  /** The run of an execution, once no change is being stored that may start it. */
  async whenStarted(id: string): Promise<Run | undefined> {
    for (let change = this.#starting.get(id); change; change = this.#starting.get(id)) await change
    return this.get(id)
  }

  /** Notes that an execution is about to be recovered: its step may be the one that ended the process. */
  expectRecovery(recovery: Promise<unknown>): void {
    this.#deps.trials.expect(recovery)
  }

  /** Recovers an execution; calls for it that come meanwhile get the same run. */
  recover(id: string, start: () => Promise<Run | undefined>): Promise<Run | undefined> {
    const recovering = this.#recovering.get(id) ?? start().finally(() => this.#recovering.delete(id))
    this.#recovering.set(id, recovering)
    return recovering
  }

  /** Stops all runs at their next step boundary, or after `graceMs` wherever they are. */
  async stop({ graceMs, abortSignals, crashed }: StopOptions): Promise<void> {
    this.#stop.abort(shuttingDown())
    const runs = [...[...this.#runs.values()].map(({ run }) => run), ...this.#hooks.values()]
    for (const run of runs) run.requestStop({ abortSignals, crashed })
    const timer = new AbortController()
    const grace = delay(graceMs, timer.signal)
    grace.catch(() => undefined)
    await Promise.race([Promise.all(runs.map((run) => run.ended)), grace])
    timer.abort()
    for (const { run } of this.#runs.values()) run.abort()
    for (const run of this.#hooks.values()) run.abort()
    await Promise.all(runs.map((run) => run.ended))
    await this.#queue.idle()
  }

  #launch(record: DurableRecord, span: OpenSpan, { workflow, hold, resumption }: Continuation): Run {
    const { row } = record
    const run = new Run(this.#runDeps(record, workflow, span))
    this.#runs.set(row.id, { run, hold, resumption })
    this.#count(row, 1)
    void run.ended.then((end) => {
      endExecution(span, end)
      this.#remove(run, hold)
      this.#onEnded(run, { end, resumption })
    })
    if (this.stopping) run.requestStop()
    this.#deps.enter(() => run.start())
    return run
  }

  #runDeps(record: DurableRecord, workflow: RegisteredWorkflow, span: OpenSpan): RunDeps {
    const { row } = record
    const { logger, random, errors, resultBytes, maxItems, maxCalls, ask, live, children, onCall } =
      this.#deps
    const context = {
      workflow,
      input: row.input,
      context: row.context,
      userId: row.userId ?? undefined,
      user: row.user,
      resumedUser: row.resumedUser,
      conversationId: row.conversationId ?? undefined,
      logger,
      logBindings: { executionId: row.id, workflowId: row.workflowId, traceId: row.traceId },
      ask: (agent: Agent, question: TracedQuestion, path: string) =>
        ask(agent, {
          ...question,
          execution: row,
          place: stepPlaceOf(row, path),
          listener: liveAnswer(live, { record, path, forwardParts: agent.forwardParts }),
        }),
      resumeUrl: (suspension: Omit<LinkedSuspension, 'executionId'>) =>
        this.#resumeUrl(workflow, { ...suspension, executionId: row.id }),
      linkTtlMs: this.#deps.linkTtlMs(),
      resultBytes,
      maxItems,
      maxCalls,
    }
    const trace = new RunTrace(span, errors)
    const { trials } = this.#deps
    const find = (step: StepRow) => this.#findEvent(record, workflow, step)
    return { context, record, children, errors, random, trace, trials, findEvent: find, onCall }
  }

  /** A workflow that declares who of the users resumes its executions has no links. */
  #resumeUrl({ definition }: RegisteredWorkflow, suspension: LinkedSuspension): string | undefined {
    const { id, resumableBy = 'users' } = definition
    if (resumableBy === 'users') return this.#deps.linkTo(suspension)
    this.#deps.logger.warn(
      { executionId: suspension.executionId, workflowId: id },
      `There is no link to the suspended step: the workflow has resumableBy: '${resumableBy}'`,
    )
    return undefined
  }

  /** The event of a step; while the database is away, the step waits. */
  async #findEvent(
    { row, steps }: DurableRecord,
    workflow: RegisteredWorkflow,
    step: StepRow,
  ): Promise<FoundEvent | undefined> {
    const { store } = this.#deps
    const taken = [...steps.values()].flatMap(({ eventId }) => eventId ?? [])
    const find = () => findEvent(this.#deps, { execution: row, workflow, taken }, step)
    try {
      return await whenAvailable(store, find, this.stopSignal)
    } catch (error) {
      throw new StoreFailure(error)
    }
  }

  #remove(run: Run, hold: GenerationHold): void {
    const { row } = run.record
    // an execution whose id was refused may have been replaced by the one that has the id
    if (this.get(row.id) === run) this.#runs.delete(row.id)
    this.#count(row, -1)
    hold.release()
  }

  #count({ kind, workflowId }: ExecutionRow, change: 1 | -1): void {
    if (kind === 'answer') return
    const count = (this.#countByWorkflow.get(workflowId) ?? 0) + change
    if (count > 0) this.#countByWorkflow.set(workflowId, count)
    else this.#countByWorkflow.delete(workflowId)
  }

  #recordDeps({ id, workflowId, ownerEpoch }: ExecutionRow) {
    const { clock, hub, meter } = this.#deps
    const workflow = this.#deps.registry().find(workflowId)
    return {
      cancels: cancelPaths(workflow?.definition),
      queue: this.#queue,
      clock,
      limited: ownerEpoch === NOBODY || workflow?.queue !== undefined,
      hasHooks: (status: FinalStatus) => (workflow?.hooksAfter(status).length ?? 0) > 0,
      onStored: () => {
        hub.publish(id)
        hub.publish(ANY_EXECUTION)
      },
      onEvent: (event: MeteredEvent) => meter.execution(workflowId, event),
    }
  }
}

export function shuttingDown(): AppError {
  return new AppError('unavailable', 'The server is shutting down')
}
