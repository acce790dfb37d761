import type { ExecutionError } from '../../contract/event.ts'
import { pauseBefore } from '../breakpoints/pause-before.ts'
import type { Scope } from '../../lib/async/scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import { parseDuration } from '../../lib/duration.ts'
import { retryDelay } from '../../workflow/retry.ts'
import type { AwaitedEvent, SKIPPED } from '../../workflow/definition.ts'
import type {
  StepAttempt,
  Branch,
  CustomEvent,
  DurableIo,
  Resumed,
  StepOutcome,
  StepTask,
  SuspendRequest,
} from './durable-io.ts'
import {
  RunAborted,
  StepFailure,
  SuspendSignal,
  isControlFlow,
  isNonRetryable,
  isUnavailable,
  recordStepError,
} from './errors.ts'
import type { IoDeps } from './io-deps.ts'
import {
  customEvent,
  stepCompleted,
  stepFailed,
  stepSkipped,
  stepStarted,
} from '../record/execution-events.ts'
import { runAttempt, waitForRetry } from './steps/attempt.ts'
import { cancelOpen, recordedWinner, runAll, runRace } from './steps/branches.ts'
import { runChild } from './steps/child.ts'
import { runGroup } from './steps/group.ts'
import { runSleep } from './steps/sleep.ts'
import { runWaitForEvent } from './steps/wait-for-event.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { completedRow, failedRow, recordedOutcome, startedRow, suspendedRow } from '../record/step-rows.ts'

/** The durable operations of a run, or of one branch of it. */
export class RunIo implements DurableIo {
  readonly #deps: IoDeps
  readonly #scope: Scope

  constructor(deps: IoDeps, scope: Scope) {
    this.#deps = deps
    this.#scope = scope
  }

  get executionId(): string {
    return this.#deps.record.id
  }

  get signal(): AbortSignal {
    return this.#scope.signal
  }

  recordedInput(path: string): string | undefined {
    return this.#record.steps.get(path)?.input
  }

  recordedOutput(path: string): string | undefined {
    return this.#record.steps.get(path)?.output ?? undefined
  }

  recordedItems(path: string): string | undefined {
    return this.#record.steps.get(path)?.items ?? undefined
  }

  recordItems(path: string, items: string): void {
    const row = this.#record.steps.get(path)
    if (row) this.#record.stage({ step: { ...row, items } })
  }

  async step(task: StepTask, body: (attempt: StepAttempt) => Promise<StepOutcome>): Promise<StepOutcome> {
    let row = this.#record.steps.get(task.path)
    const recorded = row && recordedOutcome(row, task)
    if (recorded) return recorded
    for (;;) {
      if (row?.wakeAt) await waitForRetry(row, task.retries, { ...this.#deps, scope: this.#scope })
      const end = await this.#attempt(task, row, body)
      if (!('path' in end)) return end
      row = end
      if (row.status === 'error') return { output: task.input }
    }
  }

  /** Returns the outcome of the step's next attempt, or its row when the attempt failed. */
  async #attempt(
    task: StepTask,
    before: StepRow | undefined,
    body: (attempt: StepAttempt) => Promise<StepOutcome>,
  ): Promise<StepOutcome | StepRow> {
    const { crashes, trace, record } = this.#deps
    try {
      if (before) crashes.check(before)
    } catch (error) {
      return this.#fail(task, before as StepRow, error)
    }
    return crashes.inTurn(before, this.#scope, async () => {
      this.checkpoint(task)
      const row = startedRow(task, this.#record.now(), before)
      this.#record.stage({ step: row, events: [stepStarted(task, row.attempts)] })
      const span = trace.start(task, row.attempts)
      const limits = { timeoutMs: task.step.timeoutMs, clock: record.clock }
      const onProgress = () => crashes.onProgress(task.path)
      const { attempts, failures } = row
      const options = { ...limits, number: attempts, failures, scope: this.#scope, trace: span, onProgress }
      try {
        const outcome = await crashes.run(task.path, () => runAttempt(body, options))
        const finished = this.#finish(task, row, outcome)
        trace.end(task, span, finished)
        return finished
      } catch (error) {
        trace.fail(task, span, error)
        return this.#fail(task, row, error)
      }
    })
  }

  group(task: StepTask, body: () => Promise<string | typeof SKIPPED>): Promise<string> {
    return runGroup(this.#unit(task), task, body)
  }

  evaluate<T>(task: StepTask, body: () => Promise<T>): Promise<T> {
    const row = this.#record.steps.get(task.path) as StepRow
    const checkpoint = () => this.checkpoint(task)
    return this.#deps.crashes.evaluate(row, { scope: this.#scope, checkpoint }, body)
  }

  async suspend(task: StepTask, request: SuspendRequest): Promise<Resumed> {
    const row = this.#record.steps.get(task.path)
    if (row && row.resumes > task.resumes) return { data: row.resumeData, timedOut: row.timedOut }
    throw new SuspendSignal(task, { ...request, wakeAt: row?.wakeAt ?? undefined })
  }

  async all(branches: readonly Branch[], concurrency = branches.length): Promise<string[]> {
    try {
      return await runAll(
        branches.map((branch) => this.#scoped(branch)),
        { ...this.#group, concurrency },
      )
    } catch (error) {
      if (!isControlFlow(error)) await cancelOpen(this.#deps, branches, 'Another branch failed')
      throw error
    }
  }

  async race(branches: readonly Branch[]): Promise<string> {
    const output =
      recordedWinner(branches.flatMap(({ path }) => this.#record.steps.get(path) ?? [])) ??
      (await runRace(
        branches.map((branch) => this.#scoped(branch)),
        this.#group,
      ))
    await cancelOpen(this.#deps, branches, 'Another branch was first')
    return output
  }

  sleep(task: StepTask, timeOf: (now: number) => Promise<number>): Promise<string> {
    return runSleep(this.#unit(task), task, timeOf)
  }

  waitForEvent(task: StepTask, awaited: AwaitedEvent, key: () => Promise<string | null>): Promise<string> {
    return runWaitForEvent(this.#unit(task), task, { awaited, key })
  }

  child(task: StepTask, workflowId: string, input: () => Promise<unknown>): Promise<string> {
    return runChild(this.#unit(task), { task, workflowId, input })
  }

  pauseBefore(task: StepTask): void {
    pauseBefore(this.#record, task, () => this.checkpoint(task))
  }

  checkpoint(task: StepTask): void {
    if (this.#scope.reason) throw this.#scope.reason
    const stop = this.#deps.stopRequest()
    if (stop instanceof RunAborted) throw stop
    if (stop) throw new SuspendSignal(task, stop, { external: true })
  }

  emit(event: CustomEvent): void {
    if (!this.#scope.reason && !this.#record.closed) this.#record.stage({ events: [customEvent(event)] })
  }

  /** The reason for which the signal of an attempt is aborted. */
  get #aborted(): Error | undefined {
    return this.#scope.reason ?? this.#scope.notice
  }

  get #record(): DurableRecord {
    return this.#deps.record
  }

  /** What a step without attempts needs of this run. */
  #unit(task: StepTask) {
    return {
      ...this.#deps,
      scope: this.#scope,
      checkpoint: () => this.checkpoint(task),
      evaluate: <T>(body: () => Promise<T>) => this.evaluate(task, body),
      skip: (row: StepRow) => this.#skip(task, row),
      complete: (row: StepRow, output: string) => this.#complete(task, row, output),
      fail: (row: StepRow, error: unknown) => this.#failFinally(task, row, error),
    }
  }

  get #group() {
    return { parent: this.#scope, activity: this.#deps.activity }
  }

  #scoped(branch: Branch) {
    return (scope: Scope) => branch.run(new RunIo(this.#deps, scope))
  }

  #finish(task: StepTask, row: StepRow, outcome: StepOutcome): StepOutcome {
    if ('output' in outcome) this.#complete(task, row, outcome.output)
    else if (this.#scope.reason) throw this.#scope.reason
    else
      this.#record.stage({
        step: suspendedRow(row, outcome.suspended, this.#timeOutAt(task, outcome.suspended)),
      })
    return outcome
  }

  #timeOutAt({ step: { suspendTimeout } }: StepTask, { timeoutMs }: SuspendRequest): number | null {
    const ms = parseDuration(suspendTimeout) ?? timeoutMs
    return ms === undefined ? null : this.#record.now() + ms
  }

  #complete(task: StepTask, row: StepRow, output: string): string {
    // cancelled in the same turn in which the step finished
    if (this.#scope.reason) throw this.#scope.reason
    const completed = completedRow(row, this.#record.now(), output)
    this.#record.stage({
      step: completed,
      events: [stepCompleted(task, completed, this.#record.startedHereAt)],
    })
    return output
  }

  #skip(task: StepTask, row: StepRow): string {
    const skipped = { ...completedRow(row, this.#record.now(), task.input), status: 'skipped' as const }
    this.#record.stage({ step: skipped, events: [stepSkipped(task)] })
    return task.input
  }

  /** Records a failed attempt. Returns the row of the next attempt, or throws when the step is not retried. */
  #fail(task: StepTask, row: StepRow, thrown: unknown): StepRow {
    if (isControlFlow(thrown) || this.#aborted || this.#isRefused(thrown))
      return this.#failFinally(task, row, thrown)
    const failures = row.failures + 1
    const willRetry = failures <= task.retries.limit && !isNonRetryable(thrown)
    if (!willRetry && !task.continueOnError) return this.#failFinally(task, row, thrown)
    const error = this.#recorded(task, thrown)
    const now = this.#record.now()
    const failed = willRetry
      ? { ...row, failures, wakeAt: now + retryDelay(task.retries, failures, this.#deps.random()) }
      : failedRow(row, now, error)
    this.#record.stage({
      step: failed,
      events: [stepFailed(task, { error, attempt: row.attempts, willRetry })],
    })
    return failed
  }

  #failFinally(task: StepTask, row: StepRow, thrown: unknown): never {
    const record = this.#record
    if (isControlFlow(thrown) || record.closed) throw thrown
    if (this.#aborted) throw this.#aborted
    if (this.#isRefused(thrown)) throw this.#deps.stopRequest() as RunAborted
    const error = thrown instanceof StepFailure ? thrown.recorded : this.#recorded(task, thrown)
    const event = stepFailed(task, { error, attempt: row.attempts, willRetry: false })
    record.stage({ step: failedRow(row, record.now(), error), events: [event] })
    throw thrown instanceof StepFailure ? thrown : new StepFailure(error, thrown)
  }

  /** Whether the server refused a call of the step because it stops. */
  #isRefused(thrown: unknown): boolean {
    return isUnavailable(thrown) && this.#deps.stopRequest() instanceof RunAborted
  }

  #recorded = (task: StepTask, thrown: unknown): ExecutionError =>
    recordStepError(thrown, task, this.#deps.errors)
}
