import { mayWait } from '../../agent/agent.ts'
import { compensatedPath, isHookPath, outerPath, stepIdAt } from '../../contract/step-path.ts'
import type { Misfit } from '../../contract/event.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { Scope } from '../../lib/async/scope.ts'
import { toJson } from '../../lib/json/to-json.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import { stepCalls } from '../../workflow/make-calls.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { StepCalls } from '../../step/step-calls.ts'
import { DuplicateStepError, StepError, UnstableIdsError } from '../../step/step-errors.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { requireStored } from '../record/commit.ts'
import { RunAborted, StepFailure, SuspendSignal, isControlFlow, storedError } from './errors.ts'
import { changedCode } from './misfits.ts'
import { recordedPath } from './recorded-path.ts'
import type { Placement, StepDeps } from './step-deps.ts'
import type { Round } from './step-task.ts'
import { cancelOpen, firstSuspended } from './steps/branches.ts'
import type { CancelDeps } from './steps/branches.ts'

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
  readonly run: (scope: Scope, placement: Placement) => Promise<string>
  /** Nothing can be recorded at it yet: it has not run before. */
  readonly isNew?: boolean
  /** Called when the function has to be left, as the execution waits or stops: its promise is not waited for any more. */
  readonly leave: (error: unknown) => void
}

/** What a pass needs of its run. */
export interface PassDeps extends Pick<StepDeps, 'context' | 'activity' | 'onCall' | 'collectsAt'> {
  readonly children: CancelDeps['children']
  readonly record: Pick<
    DurableRecord,
    'id' | 'row' | 'steps' | 'now' | 'stage' | 'commit' | 'closed' | 'addMetadata'
  >
}

/** One run of a user's function from its top: makes the recorded calls in it. */
export class Pass {
  readonly step: StepCalls = stepCalls((step, data) => this.make(step, data) as Promise<never>, {
    metadata: (values) => {
      if (!this.#over) this.#deps.record.addMetadata(values)
    },
  })
  readonly #deps: PassDeps
  readonly #place: PassPlace
  readonly #scope: Scope
  readonly #calls = new Map<string, Call>()
  /** Calls in progress, also those that wait. While there are some, the function counts as waiting for them. */
  #open = 0
  readonly #suspended: SuspendSignal[] = []
  /** Calls of this turn whose outcomes are recorded. */
  #recorded: RecordedCall[] = []
  /** What earlier passes have recorded, and this one has not called yet. */
  readonly #left: LeftCalls
  /** `left`: the function was left while it waited, and what still runs of it is abandoned. */
  #over: 'ended' | 'left' | undefined

  constructor(deps: PassDeps, place: PassPlace) {
    this.#deps = deps
    this.#place = place
    this.#scope = new Scope(place.scope)
    this.#left = new LeftCalls(place.isNew ? [] : deps.record.steps.values(), place.path ?? '')
  }

  /**
   * The function has returned. Calls that lost a race are aborted, and those of earlier passes that it does not make any more
   * are cancelled.
   *
   * @throws TypeError when it did not wait for a call
   */
  async end(): Promise<void> {
    const forgotten = [...this.#calls].flatMap(([id, call]) => (call.isForgotten ? [`"${id}"`] : []))
    const left = this.#left.open
    if (this.#open > 0 || left.length > 0) await this.#cancel('Its function has ended', left)
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

  async #cancel(reason: string, left: readonly string[] = []): Promise<void> {
    this.#over ??= 'ended'
    this.#scope.abort(new RunAborted('lost-race', reason))
    const called = [...this.#calls.values()].map(({ path }) => path)
    const branches = [...called, ...left].map((path) => ({ paths: [path] }))
    await cancelOpen(this.#deps, branches, reason)
  }

  /** Makes a recorded call. */
  make(step: StepDefinition, data: unknown = null): Promise<unknown> {
    const call = new Call(recordedPath(this.#deps.record.steps, step, this.#place.path))
    // nothing is thrown into code that was left
    if (this.#over === 'left') return call.promise
    try {
      this.#check(step)
      this.#calls.set(step.id, call)
      this.#deps.onCall(call.path, step)
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
    const row = this.#deps.record.steps.get(call.path)
    this.#left.take(call.path)
    // it lost a race
    if (row?.status === 'cancelled' && row.endedAt !== this.#deps.collectsAt) return
    if (row && (row.status === 'completed' || row.status === 'error')) return this.#replay(call, row)
    if (!row && this.#deps.collectsAt === undefined) this.#requireAgent(step)
    void this.#run(call, step, { data, isNew: row === undefined })
  }

  /** An agent that the configuration does not have could not continue with an answer that has waited. */
  #requireAgent({ id, agent }: StepDefinition): void {
    if (agent && mayWait(agent) && !this.#deps.context.workflow.hasAgent(agent.id))
      throw new TypeError(
        `Call "${id}": the agent "${agent.id}" must be in agents of the configuration, or in uses of the workflow`,
      )
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

  async #run(
    call: Call,
    step: StepDefinition,
    { data, isNew }: { readonly data: string; readonly isNew: boolean },
  ): Promise<void> {
    const { activity, record } = this.#deps
    if (this.#open++ > 0) activity.change(1)
    try {
      const { path } = call
      const { rounds, index = record.steps.size, run } = this.#place
      if (isNew && this.#left.hasEnded && record.row.acceptedChanges === null)
        await this.#untilEndedAreCalled({ step, path, index })
      const failure = await run(this.#scope, { step, path, rounds, data, index }).then(
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

  /**
   * A new call begins when all that have ended were called: one that was renamed would otherwise run again.
   *
   * @throws SuspendSignal when nothing else runs in the execution before they are.
   */
  async #untilEndedAreCalled(place: PlacedStep): Promise<void> {
    const { activity, context, record } = this.#deps
    const end = await activity.wait(this.#scope.guard(this.#left.endedAreCalled))
    if (end === 'happened') return
    const isUnchanged = context.workflow.hash === record.row.definitionHash
    throw changedCode(place, this.#left.misfits(place.step.id, { isUnchanged }))
  }

  /** Waits until nothing else runs in the execution. */
  async #untilIdle(signal: SuspendSignal): Promise<unknown> {
    this.#suspended.push(signal)
    try {
      await this.#deps.activity.wait(this.#scope.guard(new Promise<never>(() => undefined)))
    } catch (error) {
      return error
    }
    const { open } = this.#left
    if (open.length >= MAX_LEFT_CALLS) return new UnstableIdsError(open.map((path) => stepIdAt(path)))
    return this.#suspended.find(({ request }) => request.misfits) ?? firstSuspended(this.#suspended)
  }

  #leave(error: unknown): void {
    if (this.#over) return
    this.#over = 'left'
    this.#place.leave(error)
  }
}

/** So many calls that have begun in earlier passes, and are not called any more, have ids that change. */
const MAX_LEFT_CALLS = 100
/** Calls that are named where a record does not fit. */
const MAX_MISFITS = 20

/** What earlier passes of a function have recorded, and its present pass has not called. */
class LeftCalls {
  readonly #ended = new Set<string>()
  readonly #open = new Set<string>()
  readonly #called = createDeferred<void>()

  constructor(rows: Iterable<StepRow>, within: string) {
    for (const { path, status, isAnswerCall } of rows) {
      if (
        isAnswerCall ||
        outerPath(path) !== within ||
        isHookPath(path) !== isHookPath(within) ||
        compensatedPath(path) !== undefined
      )
        continue
      if (status === 'completed' || status === 'error') this.#ended.add(path)
      else if (status !== 'cancelled') this.#open.add(path)
    }
  }

  take(path: string): void {
    this.#open.delete(path)
    if (this.#ended.delete(path) && this.#ended.size === 0) this.#called.resolve()
  }

  get hasEnded(): boolean {
    return this.#ended.size > 0
  }

  /** Resolves when all that have ended were called. */
  get endedAreCalled(): Promise<void> {
    return this.#called.promise
  }

  /** The paths of those that have begun and not ended. */
  get open(): readonly string[] {
    return [...this.#open]
  }

  /** Why the record does not fit a function that makes a new call now. */
  misfits(called: string, { isUnchanged }: { readonly isUnchanged: boolean }): Misfit[] {
    const ids = [...this.#ended].map((path) => stepIdAt(path))
    const because = isUnchanged
      ? 'its code is the same: what it calls follows from the time, a random number or what changes outside of recorded calls'
      : ids.length === 1
        ? `was: '${ids[0]}' if it was renamed`
        : 'name the former id with was if one was renamed'
    return ids.slice(0, MAX_MISFITS).map((stepId) => ({
      stepId,
      reason: `it is recorded, and the function calls "${called}" without having called it (${because})`,
    }))
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
  readonly path: string
  readonly promise: CallPromise
  resolve!: (value: unknown) => void
  reject!: (error: unknown) => void

  constructor(path: string) {
    this.path = path
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
    const { message, name, stack, code } = failure.recorded
    const thrown = new StepError(message, { name, stepId: path, code })
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
