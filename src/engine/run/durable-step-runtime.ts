import type { CallAgent } from '../../agent/agent-request.ts'
import { roundPath } from '../../contract/step-path.ts'
import { parseDuration } from '../../lib/duration.ts'
import { retryPolicy } from '../../workflow/retry.ts'
import type { StepContext } from '../../workflow/step-context.ts'
import type {
  AwaitedEvent,
  SKIPPED,
  StepDefinition,
  StepRuntime,
  WorkflowDefinition,
} from '../../workflow/definition.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import { AttemptContext } from './steps/attempt-context.ts'
import type { Round } from './steps/attempt-context.ts'
import type {
  StepAttempt,
  Branch,
  DurableIo,
  StepOutcome,
  StepTask,
  SuspendRequest,
  Resumed,
} from './durable-io.ts'
import type { RunContext } from './run-context.ts'
import type { StepSchemas } from '../registry.ts'
import { encodeJson, encodeValue, parseValue } from '../record/values.ts'
import { isControlFlow, isNonRetryable, StepFailure, SuspendSignal } from './errors.ts'
import { agentSuspension, waitedRun } from './steps/agent-wait.ts'

interface Placement {
  readonly step: StepDefinition
  readonly path: string
  /** The rounds and items in which it runs, the outer one first. */
  readonly rounds: readonly Round[]
  /** The step's input, JSON text. */
  readonly data: string
}

/** Runs one step, at whatever depth. */
export function runStep(run: RunContext, io: DurableIo, placement: Placement): Promise<string> {
  const data = io.recordedInput(placement.path) ?? placement.data
  const runtime = new DurableStepRuntime(run, io, { ...placement, data })
  runtime.pauseAtBreakpoint()
  return placement.step.run(runtime)
}

type Body = (context: StepContext) => unknown

interface Attempted {
  readonly attempt: StepAttempt
  readonly context: AttemptContext
  readonly resumed: Resumed
}

/** The runtime of one step: performs the operations of its kind durably. */
class DurableStepRuntime implements StepRuntime {
  readonly data: string
  readonly #run: RunContext
  readonly #io: DurableIo
  readonly #task: StepTask
  readonly #rounds: readonly Round[]
  readonly #schemas: StepSchemas
  /** The attempt in progress. */
  #attempted: Attempted | undefined
  /** How often the step was resumed. */
  #resumes = 0

  constructor(run: RunContext, io: DurableIo, { step, path, rounds, data }: Placement) {
    const { workflow } = run
    this.data = data
    this.#run = run
    this.#io = io
    this.#rounds = rounds
    this.#schemas = workflow.schemasOf(step)
    this.#task = {
      step,
      path,
      index: workflow.placeById.get(step.id)?.index ?? 0,
      input: data,
      resumes: 0,
      retries: retryPolicy(step.retries ?? workflow.definition.retries),
      continueOnError: false,
    }
  }

  pauseAtBreakpoint(): void {
    this.#io.pauseBefore(this.#task)
  }

  evaluate(body: Body, data = this.data): Promise<unknown> {
    return this.#io.evaluate(this.#task, async () => body(this.#context(data)))
  }

  invoke(body: Body): Promise<string> {
    return this.#invoke(this.#task, body)
  }

  async tap(body: Body): Promise<string> {
    await this.#invoke(
      { ...this.#task, continueOnError: true },
      async (context) => void (await body(context)),
    )
    return this.data
  }

  get callAgent(): CallAgent {
    const { executionId } = this.#io
    const { path } = this.#task
    return async (agent, question) => {
      const { context, resumed } = this.#attempted ?? {}
      const { trace, number = 1, failures = 0, onProgress } = this.#attempted?.attempt ?? {}
      const requestKey = `${executionId}:${path}:${this.#resumes}.${failures}`
      const { ask } = this.#run
      const onRecorded = onProgress ?? (() => undefined)
      const waited = resumed && waitedRun(resumed)
      const { retries, step } = this.#task
      const isRetried = (failure: unknown) =>
        failures < retries.limit && !isControlFlow(failure) && !isNonRetryable(failure)
      const timeoutMs = parseDuration(step.suspendTimeout)
      const request = { requestKey, isFirst: number === 1, onRecorded, isRetried, waited, timeoutMs }
      const answer = await ask(agent, { ...question, trace: trace ?? NO_TRACE, request }, path)
      if (!answer.pending || !context) return answer
      context.suspended = agentSuspension(answer, answer.pending)
      throw new SuspendSignal(this.#task, context.suspended)
    }
  }

  group(body: () => Promise<string | typeof SKIPPED>): Promise<string> {
    return this.#io.group(this.#task, body)
  }

  hasStarted(step: StepDefinition, round?: number): boolean {
    const { path } = this.#task
    const nested = round === undefined ? `${path}/${step.id}` : roundPath(path, round)
    return this.#io.recordedInput(nested) !== undefined
  }

  run(step: StepDefinition, data: string): Promise<string> {
    return this.#runIn(this.#io, step, data)
  }

  all(steps: readonly StepDefinition[], data: string): Promise<string[]> {
    return this.#io.all(this.#branches(steps, data))
  }

  race(steps: readonly StepDefinition[], data: string): Promise<string> {
    return this.#io.race(this.#branches(steps, data))
  }

  round(step: StepDefinition, round: number, data: string): Promise<string> {
    return this.#runRound(this.#io, step, { round, data })
  }

  async items(choose: Body | undefined): Promise<readonly string[]> {
    const { path } = this.#task
    const recorded = this.#io.recordedItems(path)
    if (recorded !== undefined) return textsOf(JSON.parse(recorded) as unknown[])
    const chosen = choose ? await this.evaluate(choose) : (JSON.parse(this.data) as unknown)
    const name = choose ? 'the result of items' : 'the data of an andForEach step without items'
    if (!Array.isArray(chosen)) throw new TypeError(`${name} must be an array`)
    const { maxItems } = this.#run
    if (chosen.length > maxItems)
      throw new RangeError(
        `there are ${chosen.length} items; limits.items of the configuration allows ${maxItems}`,
      )
    if (choose)
      this.#io.recordItems(path, encodeJson(chosen, { name: 'items', limit: this.#run.resultBytes }))
    return textsOf(chosen)
  }

  each(
    step: StepDefinition,
    items: readonly string[],
    { concurrency, onError }: { readonly concurrency: number; readonly onError: 'fail' | 'continue' },
  ): Promise<string[]> {
    const branches = items.map((data, round) => ({
      path: roundPath(this.#task.path, round),
      run: async (io: DurableIo) => {
        const running = this.#runRound(io, step, { round, data })
        return onError === 'fail' ? running : running.catch(failedItem)
      },
    }))
    return this.#io.all(branches, concurrency)
  }

  sleep(timeOf: (context: StepContext, now: number) => Promise<number>): Promise<string> {
    return this.#io.sleep(this.#task, (now) => timeOf(this.#context(this.data), now))
  }

  waitForEvent(awaited: AwaitedEvent): Promise<string> {
    const key = async () => (awaited.key ? awaited.key(this.#context(this.data)) : null)
    return this.#io.waitForEvent(this.#task, awaited, key)
  }

  child(workflow: WorkflowDefinition, input: Body): Promise<string> {
    return this.#io.child(this.#task, workflow.id, async () => input(this.#context(this.data)))
  }

  #branches(steps: readonly StepDefinition[], data: string): Branch[] {
    return steps.map((step) => ({
      path: `${this.#task.path}/${step.id}`,
      run: (io) => this.#runIn(io, step, data),
    }))
  }

  #runIn(io: DurableIo, step: StepDefinition, data: string): Promise<string> {
    return runStep(this.#run, io, { step, path: `${this.#task.path}/${step.id}`, rounds: this.#rounds, data })
  }

  #runRound(
    io: DurableIo,
    step: StepDefinition,
    { round: index, data }: { readonly round: number; readonly data: string },
  ): Promise<string> {
    const path = roundPath(this.#task.path, index)
    const declaredPath = this.#run.workflow.placeById.get(step.id)?.path ?? path
    const rounds = [...this.#rounds, { path, declaredPath, index }]
    return runStep(this.#run, io, { step, path, rounds, data })
  }

  /** Runs the body, and runs it again each time the step suspended and was resumed. */
  async #invoke(task: StepTask, body: Body): Promise<string> {
    let last: Resumed = { data: null, timedOut: false }
    for (let resumes = 0; ; resumes++) {
      const resumed = last
      const current = { ...task, resumes }
      this.#resumes = resumes
      const outcome = await this.#io.step(current, (attempt) => this.#attempt(body, attempt, resumed))
      if ('output' in outcome) return outcome.output
      last = { ...(await this.#io.suspend(current, outcome.suspended)), run: outcome.suspended.run }
    }
  }

  async #attempt(body: Body, attempt: StepAttempt, last: Resumed): Promise<StepOutcome> {
    const { input, output } = this.#schemas
    const limit = this.#run.resultBytes
    const value = JSON.parse(this.data) as unknown
    const data = input ? await parseValue(value, input, 'data') : value
    const context = this.#contextFor(data, attempt, last)
    this.#attempted = { attempt, context, resumed: last }
    try {
      const result = await attempt.trace.run(() => body(context))
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
    const { suspend: schema } = this.#schemas
    if (request.data === null || request.run || !schema) return request
    const limit = this.#run.resultBytes
    const data = await encodeValue(JSON.parse(request.data), { name: 'suspend data', schema, limit })
    return { ...request, data }
  }

  /** The context of a function that runs outside an attempt: a condition or an input mapping. */
  #context(data: string): AttemptContext {
    const outside = { number: 1, failures: 0, signal: this.#io.signal, trace: NO_TRACE }
    const onProgress = () => undefined
    return this.#contextFor(JSON.parse(data), { ...outside, onProgress }, { data: null, timedOut: false })
  }

  #contextFor(data: unknown, attempt: StepAttempt, last: Resumed): AttemptContext {
    return new AttemptContext(this.#run, {
      io: this.#io,
      task: this.#task,
      rounds: this.#rounds,
      data,
      attempt: attempt.number,
      signal: () => attempt.signal,
      resumeData: last.data === null ? undefined : (JSON.parse(last.data) as unknown),
      timedOut: last.timedOut,
      trace: attempt.trace,
    })
  }
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
