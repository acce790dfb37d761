import { Scope } from '../../lib/async/scope.ts'
import { toJson } from '../../lib/json/to-json.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import { stepCalls } from '../../workflow/make-calls.ts'
import type { StepCalls } from '../../workflow/step-calls.ts'
import { DuplicateStepError, StepError } from '../../workflow/step-errors.ts'
import { requireStored } from '../record/commit.ts'
import { RunAborted, StepFailure, SuspendSignal, isControlFlow, storedError } from './errors.ts'
import type { Placement, StepDeps } from './step-deps.ts'
import type { Round } from './step-task.ts'
import { cancelOpen, firstSuspended } from './steps/branches.ts'

/** Where the calls of a pass are recorded. */
interface PassPlace {
  /** The path of the step whose function it is; none for the function of a workflow. */
  readonly path?: string
  /** The position of that step in its workflow. */
  readonly index?: number
  readonly rounds: readonly Round[]
  /** Aborts with the function. */
  readonly scope: Scope
  /** Runs a step. */
  readonly run: (deps: StepDeps, scope: Scope, placement: Placement) => Promise<string>
  /** Called when the function has to be left, as the execution waits or stops: its promise is not waited for any more. */
  readonly leave: (error: unknown) => void
}

/** One run of a user's function from its top: makes the recorded calls in it. */
export class Pass {
  readonly step: StepCalls = stepCalls((step, data) => this.#make(step, data) as Promise<never>)
  readonly #deps: StepDeps
  readonly #place: PassPlace
  readonly #scope: Scope
  readonly #calls = new Map<string, Call>()
  /** Calls in progress, also those that wait. While there are some, the function counts as waiting for them. */
  #open = 0
  readonly #suspended: SuspendSignal[] = []
  /** Calls of this turn whose outcomes are recorded. */
  #recorded: RecordedCall[] = []
  /** `left`: the function was left while it waited, and what still runs of it is abandoned. */
  #over: 'ended' | 'left' | undefined

  constructor(deps: StepDeps, place: PassPlace) {
    this.#deps = deps
    this.#place = place
    this.#scope = new Scope(place.scope)
  }

  /**
   * The function has returned. Calls that lost a race are aborted.
   *
   * @throws TypeError when it did not wait for a call
   */
  async end(): Promise<void> {
    const forgotten = [...this.#calls].flatMap(([id, call]) => (call.isForgotten ? [`"${id}"`] : []))
    if (this.#open > 0) await this.#cancel('Its function has ended')
    this.#over ??= 'ended'
    this.#scope.close()
    if (forgotten.length > 0)
      throw new TypeError(
        `The function returned without waiting for ${forgotten.join(', ')}: await each recorded call`,
      )
  }

  /** The function has failed, was left, or took too long. Returns the error that counts: of a call, that of its record. */
  async fail(error: unknown): Promise<unknown> {
    if (isControlFlow(error)) this.#over = 'left'
    else await this.#cancel('Its function has failed')
    return (error instanceof StepError && FAILURES.get(error)) || error
  }

  async #cancel(reason: string): Promise<void> {
    this.#over ??= 'ended'
    this.#scope.abort(new RunAborted('lost-race', reason))
    const branches = [...this.#calls.keys()].map((id) => ({ path: this.#pathOf(id) }))
    await cancelOpen(this.#deps, branches, reason)
  }

  #make(step: StepDefinition, data: unknown = null): Promise<unknown> {
    const call = new Call()
    // nothing is thrown into code that was left
    if (this.#over === 'left') return call.promise
    try {
      this.#check(step)
      this.#calls.set(step.id, call)
      this.#begin(call, step, toJson(data, 'input'))
    } catch (error) {
      call.reject(error)
    }
    return call.promise
  }

  #check({ id, problems }: StepDefinition): void {
    const { maxCalls } = this.#deps.context
    if (this.#over) throw new Error(`"${id}" was called after its function had ended`)
    if (problems.length > 0) throw new TypeError(`Call "${id}": ${problems.join('; ')}`)
    if (this.#calls.has(id)) throw new DuplicateStepError(id)
    if (this.#calls.size >= maxCalls)
      throw new RangeError(
        `Call "${id}": the function has made ${maxCalls} recorded calls, and limits.calls of the configuration allows no more`,
      )
  }

  #begin(call: Call, step: StepDefinition, data: string): void {
    const row = this.#deps.record.steps.get(this.#pathOf(step.id))
    // it lost a race
    if (row?.status === 'cancelled') return
    if (row && (row.status === 'completed' || row.status === 'error')) return this.#replay(call, row)
    void this.#run(call, step, data)
  }

  /** Those made in the same turn settle in the order in which they have ended, so that a race has its winner again. */
  #replay(call: Call, row: StepRow): void {
    if (this.#recorded.push({ call, row }) > 1) return
    queueMicrotask(() => {
      const recorded = this.#recorded
      this.#recorded = []
      recorded.sort((a, b) => (a.row.endedAt ?? 0) - (b.row.endedAt ?? 0))
      for (const { call: one, row: ended } of recorded) one.settle(ended)
    })
  }

  async #run(call: Call, step: StepDefinition, data: string): Promise<void> {
    const { activity, record } = this.#deps
    if (this.#open++ > 0) activity.change(1)
    try {
      const path = this.#pathOf(step.id)
      const { rounds, index = record.steps.size, run } = this.#place
      const failure = await run(this.#deps, this.#scope, { step, path, rounds, data, index }).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof StepFailure) return error
          throw error
        },
      )
      // the code after the call runs when its outcome is stored
      requireStored(await record.commit())
      const row = record.steps.get(path)
      if (row) call.settle(row, failure)
    } catch (error) {
      this.#leave(error instanceof SuspendSignal ? await this.#untilIdle(error) : error)
    } finally {
      if (--this.#open > 0) activity.change(-1)
    }
  }

  /** Waits until nothing else goes on in the execution. */
  async #untilIdle(signal: SuspendSignal): Promise<unknown> {
    this.#suspended.push(signal)
    try {
      await this.#deps.activity.wait(this.#scope.guard(new Promise<never>(() => undefined)))
    } catch (error) {
      return error
    }
    return firstSuspended(this.#suspended)
  }

  #leave(error: unknown): void {
    if (this.#over) return
    this.#over = 'left'
    this.#place.leave(error)
  }

  #pathOf(id: string): string {
    const { path } = this.#place
    return path === undefined ? id : `${path}/${id}`
  }
}

interface RecordedCall {
  readonly call: Call
  readonly row: StepRow
}

/** The failures of calls, by the errors that functions get. */
const FAILURES = new WeakMap<StepError, StepFailure>()

/** A recorded call as its function has it. */
class Call {
  readonly promise: CallPromise
  resolve!: (value: unknown) => void
  reject!: (error: unknown) => void

  constructor() {
    this.promise = new CallPromise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // nobody may ever wait for it
    void Promise.prototype.then.call(this.promise, undefined, () => undefined)
  }

  get isForgotten(): boolean {
    return !this.promise.isAwaited
  }

  /** Settles with a recorded outcome. */
  settle({ path, status, output, error }: StepRow, failure = new StepFailure(storedError(error))): void {
    if (status !== 'error') return this.resolve(JSON.parse(output ?? 'null'))
    const { message, name, stack } = failure.recorded
    const { cause } = failure
    const code = (cause as { code?: unknown } | undefined)?.code
    const thrown = new StepError(message, {
      name,
      stepId: path,
      code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    })
    if (stack !== undefined) thrown.stack = stack
    FAILURES.set(thrown, failure)
    this.reject(thrown)
  }
}

/** Knows whether anything waits for it. */
class CallPromise extends Promise<unknown> {
  isAwaited = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` calls it, too
  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true
    return super.then(onFulfilled, onRejected)
  }
}
