import type { CallAgent } from '../../agent/agent-request.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { isNestedIn, roundPath, stepIdAt } from '../../contract/step-path.ts'
import { Scope } from '../../lib/async/scope.ts'
import { parseDuration } from '../../lib/duration.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type {
  Attempted,
  AwaitedEvent,
  SKIPPED,
  StepDefinition,
  StepRuntime,
  WorkflowDefinition,
} from '../../workflow/definition.ts'
import { retryDelay, retryPolicy } from '../../step/retry.ts'
import type { RetryPolicy } from '../../step/retry.ts'
import type { StepContext } from '../../workflow/step-context.ts'
import { enterPart } from '../../calls/current-server.ts'
import { pauseBefore } from '../breakpoints/pause-before.ts'
import {
  customEvent,
  stepCompleted,
  stepFailed,
  stepSkipped,
  stepStarted,
} from '../record/execution-events.ts'
import { requireStored } from '../record/commit.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import {
  NO_SUSPICION,
  completedRow,
  failedRow,
  recordedOutcome,
  startedRow,
  suspendedRow,
} from '../record/step-rows.ts'
import { encodeJson, encodeValue, parseValue } from '../record/values.ts'
import {
  RunAborted,
  StepFailure,
  SuspendSignal,
  isControlFlow,
  isNonRetryable,
  isUnavailable,
  recordStepError,
} from './errors.ts'
import type { RunContext } from './run-context.ts'
import type { RunTrace } from './run-trace.ts'
import type { Placement, StepDeps } from './step-deps.ts'
import type { CustomEvent, Resumed, Round, StepOutcome, StepTask, SuspendRequest } from './step-task.ts'
import { Pass } from './pass.ts'
import { StepPart } from './step-part.ts'
import { recordedPath } from './recorded-path.ts'
import { agentSuspension, waitedAnswer } from './steps/agent-wait.ts'
import { AgentCalls } from './steps/agent-calls.ts'
import { AttemptContext } from './steps/attempt-context.ts'
import { runAttempt, waitForRetry } from './steps/attempt.ts'
import type { StepAttempt } from './steps/attempt.ts'
import { cancelOpen, recordedWinner, runAll, runRace } from './steps/branches.ts'
import type { Branch } from './steps/branches.ts'
import { runChild } from './steps/child.ts'
import type { ChildRuns } from './steps/child.ts'
import { runGroup } from './steps/group.ts'
import type { RunActivity } from './steps/run-activity.ts'
import { runSleep } from './steps/sleep.ts'
import { runWaitForEvent } from './steps/wait-for-event.ts'
import type { FindEvent } from './steps/wait-for-event.ts'

/** Runs one step, at whatever depth, and returns its result as JSON text. `scope` aborts with its branch. */
export function runStep(deps: StepDeps, scope: Scope, placement: Placement): Promise<string> {
  const step = new RecordedStep(deps, scope, placement)
  step.pauseAtBreakpoint()
  return placement.step.run(step)
}

/** Runs the function of a step that has ended, or was cancelled, over its record, for the calls that it makes. Starts none. */
export async function collectCalls(deps: StepDeps, scope: Scope, placement: Placement): Promise<void> {
  await placement.step.run(new RecordedStep(deps, scope, placement))
}

/** Of a function that runs over its record: a call without an outcome waits. */
const startNothing: typeof runStep = async (deps, scope, placement) => {
  throw new SuspendSignal(new RecordedStep(deps, scope, placement), { reason: '', data: null })
}

/** How the calls of a function run. */
export function callRunner(deps: StepDeps): (scope: Scope, placement: Placement) => Promise<string> {
  const run = deps.collectsAt === undefined ? runStep : startNothing
  return (scope, placement) => run(deps, scope, placement)
}

type Body = (context: StepContext) => unknown

/** Before a resume. */
const NOT_RESUMED: Resumed = { data: null, timedOut: false }

/** A step while it runs: the operations of its kind, whose outcomes are recorded and not repeated. Values are JSON text. */
class RecordedStep implements StepRuntime, StepTask {
  readonly step: StepDefinition
  readonly path: string
  readonly index: number
  readonly rounds: readonly Round[]
  readonly data: string
  readonly retries: RetryPolicy
  readonly scope: Scope
  readonly isCall: boolean
  resumes = 0
  continueOnError = false
  readonly #deps: StepDeps
  /** In an earlier run of the execution. */
  readonly #hasRunBefore: boolean
  /** The attempt in progress. */
  #attempted: { readonly attempt: StepAttempt; readonly context: AttemptContext } | undefined
  #resumed = NOT_RESUMED

  constructor(deps: StepDeps, scope: Scope, { step, path, rounds, data, index }: Placement) {
    const { workflow } = deps.context
    const row = deps.record.steps.get(path)
    this.step = step
    this.path = path
    this.index = row?.position ?? index ?? workflow.placeById.get(step.id)?.index ?? 0
    this.rounds = rounds
    // a step that has started keeps its input
    this.data = row?.input ?? data
    this.retries = retryPolicy(step.retries ?? workflow.definition.retries)
    this.scope = scope
    this.#deps = deps
    this.isCall = index !== undefined
    this.#hasRunBefore = row !== undefined
  }

  get input(): string {
    return this.data
  }

  get facts(): RunContext {
    return this.#deps.context
  }

  get record(): DurableRecord {
    return this.#deps.record
  }

  get trace(): RunTrace {
    return this.#deps.trace
  }

  get activity(): RunActivity {
    return this.#deps.activity
  }

  get waits(): Set<() => void> {
    return this.#deps.waits
  }

  get children(): ChildRuns {
    return this.#deps.children
  }

  get findEvent(): FindEvent {
    return this.#deps.findEvent
  }

  /** The error that leaves the function for a suspension. */
  suspension(request: SuspendRequest): Error {
    return new SuspendSignal(this, request)
  }

  resumeUrl(timeoutMs = this.facts.linkTtlMs): string | undefined {
    const { path, resumes } = this
    return this.facts.resumeUrl({ path, resumes, expiresAt: this.record.now() + timeoutMs })
  }

  /** A pass over a function of the step, which makes recorded calls. */
  pass(scope: Scope, leave: (error: unknown) => void): Pass {
    return this.#passAt(this.path, scope, leave)
  }

  #passAt(path: string, scope: Scope, leave: (error: unknown) => void): Pass {
    const { index, rounds } = this
    const isNew = !this.#hasRunBefore && this.row?.attempts === 1
    return new Pass(this.#deps, { path, index, rounds, scope, isNew, run: callRunner(this.#deps), leave })
  }

  /** Its record; `undefined` until it starts. */
  get row(): StepRow | undefined {
    return this.#deps.record.steps.get(this.path)
  }

  /** Throws when the execution suspends before the step because of a breakpoint. */
  pauseAtBreakpoint(): void {
    pauseBefore(this.record, this, () => this.checkpoint())
  }

  /** Throws when the execution was cancelled, suspended or stopped from outside. */
  checkpoint(): void {
    if (this.scope.reason) throw this.scope.reason
    const stop = this.#deps.stopRequest()
    if (stop instanceof RunAborted) throw stop
    if (stop) throw new SuspendSignal(this, stop, { external: true })
  }

  // ---- steps with attempts

  /** Runs the body, and runs it again each time the step suspended and was resumed. */
  async invoke(body: Body): Promise<string> {
    if (this.#deps.collectsAt !== undefined) return this.#collect(body)
    for (;;) {
      const { row } = this
      const recorded = row && recordedOutcome(row, this)
      if (!recorded && row?.wakeAt) await waitForRetry(row, this)
      const end = recorded ?? (await this.#attempt(row, body))
      if ('path' in end) {
        if (end.status === 'error') return this.data
      } else if ('suspended' in end) {
        this.#resumed = { ...this.#resumption(end.suspended), run: end.suspended.run }
        this.resumes++
      } else return end.output
    }
  }

  async tap(body: Body): Promise<string> {
    this.continueOnError = true
    await this.invoke(async (context) => void (await body(context)))
    return this.data
  }

  /** Calls the function once more, over what is recorded. Its outcome is known. */
  async #collect(body: Body): Promise<string> {
    const { row } = this
    const scope = new Scope(this.scope)
    const { attempts: number = 1, failures = 0, resumeData = null, timedOut = false } = row ?? {}
    this.#resumed = { data: resumeData, timedOut }
    const { signal } = scope
    const attempt = { number, failures, scope, signal, trace: NO_TRACE, onProgress: () => undefined }
    await scope.guard(this.#call(body, attempt)).catch(() => undefined)
    scope.abort(new RunAborted('ended', 'The calls are known'))
    if (this.scope.reason) throw this.scope.reason
    return 'null'
  }

  get callAgent(): CallAgent {
    return async (agent, question) => {
      const { attempt, context } = this.#attempted ?? {}
      const { trace = NO_TRACE, number = 1, failures = 0, onProgress = () => undefined } = attempt ?? {}
      const { record, activity, path } = this
      const { resultBytes: limit } = this.facts
      const { errors } = this.#deps
      const passAt = (at: string, leave: (error: unknown) => void) => this.#passAt(at, this.scope, leave)
      const calls = new AgentCalls({ record, activity, limit, errors, passAt, onRecorded: onProgress }, path)
      const request = {
        requestKey: `${record.id}:${path}:${this.resumes}.${failures}`,
        isFirst: number === 1 && !this.#hasRunBefore,
        calls,
        isRetried: (failure: unknown) =>
          failures < this.retries.limit && !isControlFlow(failure) && !isNonRetryable(failure),
        waited: waitedAnswer(this.#resumed),
        timeoutMs: parseDuration(this.step.suspendTimeout),
      }
      const signal = AbortSignal.any([question.signal, calls.signal])
      const answer = await this.facts
        .ask(agent, { ...question, signal, trace, request }, path)
        .catch((error: unknown) => Promise.reject((calls.left ?? error) as Error))
      if (!answer.pending || !context) return answer
      context.suspended = agentSuspension(answer, answer.pending)
      throw new SuspendSignal(this, context.suspended)
    }
  }

  /** The outcome of the next attempt, or the step's row when it failed. */
  #attempt(before: StepRow | undefined, body: Body): StepRow | Promise<StepOutcome | StepRow> {
    const { crashes, trace, record } = this.#deps
    try {
      if (before) crashes.check(before)
    } catch (error) {
      return this.#failAttempt(before as StepRow, error)
    }
    return crashes.inTurn({ path: this.path, row: before, scope: this.scope }, async () => {
      this.checkpoint()
      this.#attempted = undefined
      const row = startedRow(this, record.now(), before)
      record.stage({ step: row, events: [stepStarted(this, row.attempts)] })
      const span = trace.start(this, row.attempts)
      const options = {
        number: row.attempts,
        failures: row.failures,
        timeoutMs: this.step.timeoutMs,
        clock: record.clock,
        scope: this.scope,
        trace: span,
        onProgress: () => crashes.onProgress(this.path),
      }
      try {
        const end = crashes.begin(this.path)
        let outcome: StepOutcome
        try {
          requireStored(await record.commit())
          outcome = await runAttempt((attempt) => this.#call(body, attempt), options)
        } finally {
          end()
        }
        this.#finish(row, outcome)
        trace.end(this, span, outcome)
        return outcome
      } catch (thrown) {
        const error = await this.#endPass(thrown)
        trace.fail(this, span, error)
        if (error instanceof SuspendSignal && isNestedIn(error.place.path, this.path)) this.#waitForCall(row)
        return this.#failAttempt(row, error)
      }
    })
  }

  /** Ends the recorded calls of an attempt that failed. Returns the error that counts. */
  async #endPass(error: unknown): Promise<unknown> {
    const { pass } = this.#attempted?.context ?? {}
    return pass ? pass.fail(error) : error
  }

  /** A recorded call in it waits, which is progress: the attempt continues in the next pass. */
  #waitForCall(row: StepRow): void {
    this.record.stage({ step: { ...row, ...NO_SUSPICION, attempts: row.attempts - 1, exempt: true } })
  }

  /** The next attempt repeats the calls in it that have failed. */
  #repeatCalls(): void {
    for (const row of this.record.steps.values()) {
      if (!isNestedIn(row.path, this.path) || row.isAnswerCall) continue
      if (row.status !== 'error' && row.status !== 'cancelled') continue
      const again = {
        status: 'running',
        attempts: 0,
        failures: 0,
        error: null,
        wakeAt: null,
        endedAt: null,
      } as const
      this.record.stage({ step: { ...row, ...again } })
    }
  }

  /** Calls the user's function. */
  async #call(body: Body, attempt: StepAttempt): Promise<StepOutcome> {
    const { workflow, resultBytes: limit } = this.facts
    const { input, output } = workflow.schemasOf(this.step)
    const value = JSON.parse(this.data) as unknown
    const data = input ? await parseValue(value, input, 'data') : value
    const given = this.#resumed.data
    const resumed =
      this.isCall && given !== null
        ? { ...this.#resumed, data: await this.parseResumeData(given) }
        : this.#resumed
    const context = new AttemptContext(this, { data, attempt, resumed })
    this.#attempted = { attempt, context }
    try {
      const part = new StepPart(this.record.row, this.path, attempt)
      const result = await attempt.trace.run(() => enterPart(part, () => context.whileInPass(body(context))))
      if (context.pass) await context.pass.end()
      if (!context.suspended) {
        const checked = output ? await parseValue(result, output, 'result') : result
        return { output: encodeJson(checked, { name: 'result', limit }) }
      }
    } catch (error) {
      if (!context.suspended) throw error
    }
    return { suspended: await this.#checkSuspendData(context.suspended) }
  }

  async #checkSuspendData(request: SuspendRequest): Promise<SuspendRequest> {
    const { workflow, resultBytes: limit } = this.facts
    const { suspend: schema } = workflow.schemasOf(this.step)
    if (request.run) return request
    const { approvedBy } = this.step
    const own = { ...this.ownResumeSchema(), ...(approvedBy && { approvedBy }) }
    if (request.data === null || !schema) return { ...request, ...own }
    const data = await encodeValue(JSON.parse(request.data), { name: 'suspend data', schema, limit })
    return { ...request, data, ...own }
  }

  /** For the record of a call: the workflow does not declare what it takes. */
  ownResumeSchema(): Pick<SuspendRequest, 'resumeSchema'> {
    return this.isCall ? { resumeSchema: this.facts.workflow.schemasOf(this.step).resume?.input ?? null } : {}
  }

  /** What a step gets by a resume or an event. That of a call was checked by its JSON Schema only. */
  async parseResumeData(data: string): Promise<string> {
    const { workflow, resultBytes: limit } = this.facts
    const schema = this.isCall ? workflow.schemasOf(this.step).resume : undefined
    return schema ? encodeValue(JSON.parse(data), { name: 'resume data', schema, limit }) : data
  }

  #finish(row: StepRow, outcome: StepOutcome): void {
    if ('output' in outcome) return void this.complete(row, outcome.output)
    if (this.scope.reason) throw this.scope.reason
    const { suspended } = outcome
    const ms = parseDuration(this.step.suspendTimeout) ?? suspended.timeoutMs
    const wakeAt = ms === undefined ? null : this.record.now() + ms
    this.record.stage({ step: suspendedRow(row, suspended, wakeAt) })
  }

  /** With what a suspended step continues. Throws when it has to wait. */
  #resumption(request: SuspendRequest): Resumed {
    const { row } = this
    if (row && row.resumes > this.resumes) return { data: row.resumeData, timedOut: row.timedOut }
    throw new SuspendSignal(this, { ...request, wakeAt: row?.wakeAt ?? undefined })
  }

  /** Records a failed attempt. Returns the row of the next attempt, or throws when the step is not retried. */
  #failAttempt(row: StepRow, thrown: unknown): StepRow {
    if (isControlFlow(thrown) || this.#aborted || this.#isRefused(thrown)) return this.fail(row, thrown)
    const failures = row.failures + 1
    const willRetry = failures <= this.retries.limit && !isNonRetryable(thrown)
    if (!willRetry && !this.continueOnError) return this.fail(row, thrown)
    if (willRetry) this.#repeatCalls()
    const error = thrown instanceof StepFailure ? thrown.recorded : this.#recorded(thrown)
    const now = this.record.now()
    const failed = willRetry
      ? { ...row, failures, wakeAt: now + retryDelay(this.retries, failures, this.#deps.random()) }
      : failedRow(row, now, error)
    this.record.stage({
      step: failed,
      events: [stepFailed(this, { error, attempt: row.attempts, willRetry })],
    })
    return failed
  }

  // ---- steps without attempts

  group(body: () => Promise<string | typeof SKIPPED>): Promise<string> {
    return runGroup(this, body)
  }

  evaluate(body: Body, data = this.data): Promise<unknown> {
    return this.guard(async () => body(this.#context(data)))
  }

  /** Calls a function of a step without attempts. A crash during the call counts against the step. */
  guard<T>(body: () => Promise<T>): Promise<T> {
    const checkpoint = () => this.checkpoint()
    return this.#deps.crashes.evaluate(this.row as StepRow, { scope: this.scope, checkpoint }, body)
  }

  sleep(timeOf: (context: StepContext, now: number) => Promise<number>): Promise<string> {
    return runSleep(this, (now) => timeOf(this.#context(this.data), now))
  }

  waitForEvent(awaited: AwaitedEvent): Promise<string> {
    const key = async () => (awaited.key ? awaited.key(this.#context(this.data)) : null)
    return runWaitForEvent(this, { awaited, key })
  }

  child(workflow: WorkflowDefinition, input: Body): Promise<string> {
    return runChild(this, { workflowId: workflow.id, input: async () => input(this.#context(this.data)) })
  }

  /** The context of a function that runs outside an attempt: a condition or an input mapping. */
  #context(data: string): AttemptContext {
    const { scope } = this
    const { signal } = scope
    const outside = { number: 1, failures: 0, trace: NO_TRACE, onProgress: () => undefined }
    const attempt = { ...outside, scope, signal }
    return new AttemptContext(this, { data: JSON.parse(data) as unknown, attempt, resumed: NOT_RESUMED })
  }

  // ---- nested steps

  hasStarted(step: StepDefinition, round?: number): boolean {
    const [first = ''] = round === undefined ? this.#pathsOf(step) : [roundPath(this.path, round)]
    return this.record.steps.has(first)
  }

  run(step: StepDefinition, data: string): Promise<string> {
    return this.#run(this.scope, step, data)
  }

  async attempt(step: StepDefinition, data: string): Promise<Attempted> {
    try {
      return { output: await this.run(step, data) }
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      const { name, message, stepId = stepIdAt(this.path) } = error.recorded
      return { error: { name, message, stepId } }
    }
  }

  async all(steps: readonly StepDefinition[], data: string): Promise<string[]> {
    return this.#all(this.#branches(steps, data), steps.length)
  }

  async race(steps: readonly StepDefinition[], data: string): Promise<string> {
    const branches = this.#branches(steps, data)
    const last = branches.flatMap(({ paths }) => this.record.steps.get(paths.at(-1) ?? '') ?? [])
    const output =
      recordedWinner(last) ?? (await runRace(branches, { parent: this.scope, activity: this.activity }))
    await cancelOpen(this.#deps, branches, 'Another branch was first')
    return output
  }

  round(step: StepDefinition, round: number, data: string): Promise<string> {
    return this.#runRound(this.scope, step, { round, data })
  }

  async items(choose: Body | undefined): Promise<readonly string[]> {
    const recorded = this.row?.items ?? undefined
    if (recorded !== undefined) return textsOf(JSON.parse(recorded) as unknown[])
    const chosen = choose ? await this.evaluate(choose) : (JSON.parse(this.data) as unknown)
    const name = choose ? 'the result of items' : 'the data of an andForEach step without items'
    if (!Array.isArray(chosen)) throw new TypeError(`${name} must be an array`)
    const { maxItems, resultBytes: limit } = this.facts
    if (chosen.length > maxItems)
      throw new RangeError(
        `there are ${chosen.length} items; limits.items of the configuration allows ${maxItems}`,
      )
    const { row } = this
    if (choose && row)
      this.record.stage({ step: { ...row, items: encodeJson(chosen, { name: 'items', limit }) } })
    return textsOf(chosen)
  }

  each(
    step: StepDefinition,
    items: readonly string[],
    { concurrency, onError }: { readonly concurrency: number; readonly onError: 'fail' | 'continue' },
  ): Promise<string[]> {
    const branches = items.map((data, round) => ({
      paths: [roundPath(this.path, round)],
      run: async (scope: Scope) => {
        const running = this.#runRound(scope, step, { round, data })
        return onError === 'fail' ? running : running.catch(failedItem)
      },
    }))
    return this.#all(branches, concurrency)
  }

  async #all(branches: readonly Branch[], concurrency: number): Promise<string[]> {
    try {
      return await runAll(branches, { parent: this.scope, activity: this.activity, concurrency })
    } catch (error) {
      if (!isControlFlow(error)) await cancelOpen(this.#deps, branches, 'Another branch failed')
      throw error
    }
  }

  #branches(steps: readonly StepDefinition[], data: string): Branch[] {
    return steps.map((step) => ({
      paths: this.#pathsOf(step),
      run: (scope) => this.#run(scope, step, data),
    }))
  }

  /** Runs a nested step, or those of a group one after the other. */
  async #run(scope: Scope, nested: StepDefinition, data: string): Promise<string> {
    const { rounds } = this
    let result = data
    for (const step of membersOf(nested))
      result = await runStep(this.#deps, scope, { step, path: this.#pathOf(step), rounds, data: result })
    return result
  }

  #runRound(
    scope: Scope,
    step: StepDefinition,
    { round: index, data }: { readonly round: number; readonly data: string },
  ): Promise<string> {
    const path = roundPath(this.path, index)
    const declaredPath = this.facts.workflow.placeById.get(step.id)?.path ?? path
    const rounds = [...this.rounds, { path, declaredPath, index }]
    return runStep(this.#deps, scope, { step, path, rounds, data })
  }

  #pathOf(step: StepDefinition): string {
    return recordedPath(this.record.steps, step, this.path)
  }

  #pathsOf(nested: StepDefinition): string[] {
    return membersOf(nested).map((step) => this.#pathOf(step))
  }

  // ---- what is recorded

  complete(row: StepRow, output: string): string {
    // cancelled in the same turn in which the step finished
    if (this.scope.reason) throw this.scope.reason
    const { record } = this
    const ended = completedRow(row, record.now(), output)
    const completed = this.step.compensate ? { ...ended, completion: record.nextCompletion() } : ended
    record.stage({ step: completed, events: [stepCompleted(this, completed, record.startedHereAt)] })
    return output
  }

  /** Its input becomes its result. */
  skip(row: StepRow): string {
    const skipped = { ...completedRow(row, this.record.now(), this.data), status: 'skipped' as const }
    this.record.stage({ step: skipped, events: [stepSkipped(this)] })
    return this.data
  }

  /** Fails for good, unless the run has stopped. */
  fail(row: StepRow, thrown: unknown): never {
    const { record } = this
    if (isControlFlow(thrown) || record.closed) throw thrown
    if (this.#aborted) throw this.#aborted
    if (this.#isRefused(thrown)) throw this.#deps.stopRequest() as RunAborted
    const error = thrown instanceof StepFailure ? thrown.recorded : this.#recorded(thrown)
    const event = stepFailed(this, { error, attempt: row.attempts, willRetry: false })
    record.stage({ step: failedRow(row, record.now(), error), events: [event] })
    throw thrown instanceof StepFailure ? thrown : new StepFailure(error, thrown)
  }

  /** Adds a `custom` event, committed with the next step boundary. */
  emit(event: CustomEvent): void {
    emit(this, event)
  }

  /** The reason for which the signal of an attempt is aborted. */
  get #aborted(): Error | undefined {
    return this.scope.reason ?? this.scope.notice
  }

  /** Whether the server refused a call of the step because it stops. */
  #isRefused(thrown: unknown): boolean {
    return isUnavailable(thrown) && this.#deps.stopRequest() instanceof RunAborted
  }

  #recorded(thrown: unknown): ExecutionError {
    return recordStepError(thrown, this, this.#deps.errors)
  }
}

/** Adds a `custom` event, unless the function that emits it was stopped. */
export function emit(
  { scope, record }: { readonly scope: Scope; readonly record: Pick<DurableRecord, 'closed' | 'stage'> },
  event: CustomEvent,
): void {
  if (!scope.reason && !record.closed) record.stage({ events: [customEvent(event)] })
}

/** The steps of a group; another step is alone. */
function membersOf(step: StepDefinition): readonly StepDefinition[] {
  return step.type === 'group' ? step.steps : [step]
}

/** JSON text of each value; `null` for what JSON cannot represent. */
function textsOf(values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify(value) ?? 'null')
}

/** The result of an item whose step failed, as JSON text. */
function failedItem(error: unknown): string {
  if (!(error instanceof StepFailure)) throw error
  return JSON.stringify({ error: { message: error.recorded.message } })
}
