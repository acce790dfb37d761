import type { Agent } from '../../agent/agent.ts'
import { delay } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { PassingMap } from '../../lib/async/passing-map.ts'
import type { MeteredEvent } from '../engine-meter.ts'
import { ANY_EXECUTION } from './execution-feed.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import { cancelExecution } from './cancel.ts'
import { RunAborted, StoreFailure } from '../run/errors.ts'
import type { TracedQuestion } from '../run/interpretation.ts'
import { RunTrace, continueExecution, endExecution } from '../run/run-trace.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import { workflowResumed, workflowStarted } from '../record/execution-events.ts'
import { validInput } from '../record/valid-input.ts'
import { childEndOf, recordedChildEnd } from '../run/child-end.ts'
import type { ChildEnd } from '../run/child-end.ts'
import type { ChildRuns, NewChild } from '../run/child-run.ts'
import type { HostOptions, GenerationHold } from './host-options.ts'
import { CommitQueue } from '../record/commit-queue.ts'
import { newExecutionRow, newExecutionSpan } from '../record/new-execution.ts'
import type { NewExecution } from '../record/new-execution.ts'
import { RunRecord, isStored } from '../record/execution-record.ts'
import type { RecordedHistory } from '../record/execution-record.ts'
import { Run, outcomeChange } from '../run/run.ts'
import type { CancelledOutcome } from '../run/run.ts'
import { Recovery } from './recovery.ts'

/** What changes when a suspended execution goes on. `resumeData` is JSON text. */
export interface ResumeCommand {
  readonly stepId: string
  readonly resumeData: string | null
  readonly step?: StepRow
  /** The last event the caller knows of; when there are more, somebody else was first. */
  readonly sequence?: number
  /** Where it was asked for. */
  readonly trace?: TraceScope | undefined
}

interface Launch {
  readonly hold: GenerationHold
  /** The execution's, or of the part of it that begins. */
  readonly span: OpenSpan
}

/** Runs executions in this process, on a store that this process owns. */
export class EmbeddedHost implements ChildRuns {
  readonly #options: HostOptions
  readonly #queue: CommitQueue
  readonly #live = new PassingMap<{ run: Run; hold: GenerationHold }>()
  readonly #running = new Map<string, number>()
  readonly #recovery: Recovery
  readonly #randomHex = randomHexGenerator()
  #stopping = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#queue = new CommitQueue(options.store.executions)
    this.#recovery = new Recovery(options, this)
  }

  /** The run of an execution that runs here. */
  live(id: string): Run | undefined {
    return this.#live.get(id)?.run
  }

  /** How many executions run, by workflow. */
  get running(): ReadonlyMap<string, number> {
    return this.#running
  }

  /** Whether any execution of a workflow runs. */
  isRunning(workflowId: string): boolean {
    return this.#running.has(workflowId)
  }

  /** Begins an execution; what it stores first is stored together with its first step's start. */
  begin(execution: NewExecution, hold = this.#options.hold()): Run {
    const { newId, clock } = this.#options
    const id = execution.id ?? newId()
    if (this.#stopping || this.#live.has(id)) {
      hold.release()
      throw this.#stopping ? stopping() : new AppError('conflict', `Execution id already used: ${id}`)
    }
    const { epoch } = this.#options.store
    const span = newExecutionSpan(execution, { id, root: this.#options.trace() })
    const place = span.place ?? { traceId: this.#randomHex(16), spanId: this.#randomHex(8) }
    const row = newExecutionRow(execution, { id, epoch, now: clock.now(), place })
    const record = this.#record({ row, steps: execution.steps ?? [], lastSequence: 0 })
    record.stage({ at: row.createdAt, events: [workflowStarted(execution.input)] })
    return this.#launch(record, execution.workflow, { hold, span })
  }

  /**
   * Brings a suspended execution back to life, and the parents that wait for it. `undefined`: somebody else
   * did it first, or it was cancelled.
   */
  async resume(row: ExecutionRow, revival: ResumeCommand): Promise<Run | undefined> {
    if (this.#stopping) throw stopping()
    const hold = this.#options.hold()
    let run: Run | undefined
    try {
      const workflow = hold.registry.get(row.workflowId)
      const record = await this.#claim(row, revival)
      if (record) {
        const span = this.#continued(row, workflow, revival.trace)
        run = this.#launch(record, workflow, { hold, span })
      }
    } finally {
      if (!run) hold.release()
    }
    if (run && row.parentId !== null) await this.resumeParent(row, revival)
    return run
  }

  async #claim(row: ExecutionRow, revival: ResumeCommand): Promise<RunRecord | undefined> {
    const { stepId, step, resumeData, sequence } = revival
    const history = await this.#history(row)
    if (sequence !== undefined && sequence !== history.lastSequence) return undefined
    const record = this.#record(history, row)
    record.stage({
      set: { status: 'running', suspension: null },
      ...(step && { step }),
      events: [workflowResumed(stepId, resumeData)],
    })
    return isStored(await record.commit()) ? record : undefined
  }

  /** Lets a parent that is suspended because of this child go on waiting for it. `false`: none is. */
  async resumeParent(
    { id: childId, parentId }: Pick<ExecutionRow, 'id' | 'parentId'>,
    { resumeData = null, trace }: Partial<Pick<ResumeCommand, 'resumeData' | 'trace'>> = {},
  ): Promise<boolean> {
    if (parentId === null) return false
    const { executions } = this.#options.store
    const parent = await executions.get(parentId)
    if (parent?.status !== 'suspended' || this.#live.has(parentId) || this.#stopping) return false
    const { path } = JSON.parse(parent.suspension ?? '{}') as { path?: string }
    const step = (await executions.steps(parentId)).find((one) => one.path === path)
    if (step?.childId !== childId) return false
    return (await this.resume(parent, { stepId: step.stepId, resumeData, trace })) !== undefined
  }

  /** Cancels an execution that is suspended, or was left running. `undefined`: it is not any more. */
  async cancelSettled(row: ExecutionRow, reason: string): Promise<CancelledOutcome | undefined> {
    const record = this.#record(await this.#history(row), row)
    const rest = { status: 'cancelled', at: this.#options.clock.now(), reason } as const
    record.close(outcomeChange(rest, row.createdAt))
    if (!isStored(await record.commit())) return undefined
    await this.resumeParent(row)
    return rest
  }

  /** Takes up executions that an earlier owner, or a store that failed, left running. */
  recover(): Promise<void> {
    return this.#recovery.run()
  }

  /** Stops every run at its next step boundary, or after `graceMs` where it is. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#recovery.stop()
    const runs = this.#live.values().map(({ run }) => run)
    for (const run of runs) run.drain()
    const timer = new AbortController()
    const grace = delay(graceMs, timer.signal)
    grace.catch(() => undefined)
    await Promise.race([Promise.all(runs.map((run) => run.ended)), grace])
    timer.abort()
    for (const { run } of this.#live.values()) run.abandon()
    await Promise.all(runs.map((run) => run.ended))
    await this.#queue.idle()
  }

  async prepare({ parent, workflowId, input, trace }: NewChild): Promise<() => string> {
    // the child runs the code of its parent's generation, which its parent holds
    const registry = this.#live.get(parent.id)?.hold.registry
    if (!registry) throw new RunAborted('The parent execution has ended')
    const workflow = registry.get(workflowId)
    const { context, userId, conversationId, user, id: parentId } = parent.row
    const text = await validInput(workflow, input)
    const child = { workflow, input: text, context, userId, conversationId, user, parentId, trace }
    return () => this.begin(child, { registry, release: () => undefined }).record.id
  }

  async join(id: string): Promise<ChildEnd | 'stopped'> {
    const row = this.#live.has(id) ? undefined : await this.#options.store.executions.get(id)
    const known = row && recordedChildEnd(row)
    if (known) return known
    const run = this.live(id) ?? (row && (await this.takeOver(row)))
    const end = await run?.ended
    return end?.kind === 'rest' ? childEndOf(end.rest) : 'stopped'
  }

  /** Cancels an execution and its children. `undefined`: it had ended. */
  cancel(id: string, reason: string): Promise<CancelledOutcome | undefined> {
    return cancelExecution(id, reason, { executions: this.#options.store.executions, host: this })
  }

  park(id: string, reason: string): void {
    this.live(id)?.park(reason)
  }

  #launch(record: RunRecord, workflow: RegisteredWorkflow, { hold, span }: Launch): Run {
    const { row } = record
    const { logger, random, errors, resultBytes, ask } = this.#options
    const interpretation = {
      workflow,
      input: row.input,
      context: row.context,
      userId: row.userId ?? undefined,
      user: row.user,
      conversationId: row.conversationId ?? undefined,
      logger,
      logBindings: { executionId: row.id, workflowId: row.workflowId, traceId: row.traceId },
      ask: (agent: Agent, question: TracedQuestion) => ask(agent, { ...question, traceId: row.traceId }),
      resultBytes,
    }
    const trace = new RunTrace(span, errors)
    const run = new Run({ interpretation, record, children: this, errors, random, trace })
    this.#live.set(row.id, { run, hold })
    this.#running.set(row.workflowId, (this.#running.get(row.workflowId) ?? 0) + 1)
    void run.ended.then((end) => {
      endExecution(span, end)
      this.#ended(run, hold, end.kind === 'stopped' ? end.cause : undefined)
    })
    if (this.#stopping) run.drain()
    run.start()
    return run
  }

  #ended(run: Run, hold: GenerationHold, cause: unknown): void {
    const { row } = run.record
    // one whose id was taken may have left its place to the execution that has it
    if (this.live(row.id) === run) this.#live.delete(row.id)
    const running = (this.#running.get(row.workflowId) ?? 1) - 1
    if (running > 0) this.#running.set(row.workflowId, running)
    else this.#running.delete(row.workflowId)
    hold.release()
    if (cause instanceof StoreFailure) this.#recovery.stalled(row.id, cause)
    if (row.parentId !== null && !this.#live.has(row.parentId)) {
      this.resumeParent(row).catch((error: unknown) =>
        this.#options.logger.error(
          { err: error, executionId: row.id },
          'The parent execution could not be woken',
        ),
      )
    }
  }

  /** Runs on an execution that an earlier owner left running. `undefined`: its workflow is not there. */
  async takeOver(row: ExecutionRow): Promise<Run | undefined> {
    const live = this.live(row.id)
    if (live || this.#stopping) return live
    const history = await this.#history(row)
    // while the history was read, its parent may have joined it
    const joined = this.live(row.id)
    if (joined) return joined
    const hold = this.#options.hold()
    const workflow = hold.registry.find(row.workflowId)
    if (workflow) {
      const span = this.#continued(row, workflow, undefined)
      return this.#launch(this.#record(history, row), workflow, { hold, span })
    }
    hold.release()
    return undefined
  }

  #continued(row: ExecutionRow, workflow: RegisteredWorkflow, cause: TraceScope | undefined): OpenSpan {
    return continueExecution(row, workflow, { root: this.#options.trace(), cause })
  }

  async #history(row: ExecutionRow): Promise<RecordedHistory> {
    const { executions } = this.#options.store
    const [steps, lastSequence] = await Promise.all([
      executions.steps(row.id),
      executions.lastSequence(row.id),
    ])
    return { row: { ...row, epoch: this.#options.store.epoch }, steps, lastSequence }
  }

  #record(history: RecordedHistory, from?: ExecutionRow): RunRecord {
    const { clock, hub, meter } = this.#options
    const { id, workflowId } = history.row
    const onStored = () => {
      hub.publish(id)
      hub.publish(ANY_EXECUTION)
    }
    const onEvent = (event: MeteredEvent) => meter.execution(workflowId, event)
    return new RunRecord(history, { queue: this.#queue, clock, onStored, onEvent }, from)
  }
}

function stopping(): AppError {
  return new AppError('unavailable', 'The server is shutting down')
}
