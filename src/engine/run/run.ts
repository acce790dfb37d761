import type { ExecutionError } from '../../contract/event.ts'
import { deferred } from '../../lib/async/deferred.ts'
import { Scope } from '../../lib/async/scope.ts'
import type { SuspendRequest } from './durable-io.ts'
import { RunAborted, Parked, StepFailure, StoreFailure, recordError } from './errors.ts'
import type { ErrorRecording } from './errors.ts'
import type { RunContext } from './interpretation.ts'
import { interpret } from './interpreter.ts'
import { outcomeEvents, storedSuspension } from '../record/execution-events.ts'
import type { RunOutcome } from '../record/execution-events.ts'
import type { ChildRuns } from './child-run.ts'
import type { RunTrace } from './run-trace.ts'
import { EmbeddedIo } from './embedded-io.ts'
import { isStored } from '../record/execution-record.ts'
import type { Change, RunRecord, Stored } from '../record/execution-record.ts'

export type CancelledOutcome = Extract<RunOutcome, { status: 'cancelled' }>

/** How a run ended for this process: at rest, not begun because the store refused it, or stopped midway. */
export type RunEnd =
  | { readonly kind: 'rest'; readonly rest: RunOutcome }
  | { readonly kind: 'refused' }
  | { readonly kind: 'stopped'; readonly cause: unknown }

interface RunOptions {
  readonly interpretation: RunContext
  readonly record: RunRecord
  readonly children: ChildRuns
  readonly trace: RunTrace
  readonly errors: ErrorRecording
  readonly random: () => number
}

/** An execution while it runs in this process. */
export class Run {
  readonly record: RunRecord
  readonly ended: Promise<RunEnd>
  readonly #options: RunOptions
  readonly #scope = new Scope()
  #begun: Promise<Stored> | undefined
  readonly #ended = deferred<RunEnd>()
  #stop: SuspendRequest | RunAborted | undefined
  /** What was thrown, where the run failed. */
  #thrown: unknown

  constructor(options: RunOptions) {
    this.#options = options
    this.record = options.record
    this.ended = this.#ended.promise
    const request = options.record.row.suspendRequest
    if (request !== null) this.park((JSON.parse(request) as { reason: string }).reason)
  }

  /** Whether it waits for its turn to stop at a step boundary. */
  get parking(): boolean {
    return this.#stop !== undefined
  }

  /** Starts walking the steps. The caller has staged the first change in this turn. */
  start(): void {
    this.#begun = this.record.commit()
    void this.#drive()
  }

  /**
   * Waits until the run's first change is stored; `false` when the store refused it.
   *
   * @throws StoreFailure when it can't be stored.
   */
  async begun(): Promise<boolean> {
    return isStored(await (this.#begun ?? this.record.commit()))
  }

  /** Suspends at the next step boundary. */
  park(reason: string): void {
    this.#stop ??= { reason, data: null, resumeSchema: null }
    this.record.pause.abort(new RunAborted(reason))
  }

  /** Stops at the next step boundary without a trace: the execution stays `running` for the next owner. */
  drain(): void {
    const reason = new RunAborted('The server is stopping')
    this.#stop = reason
    this.record.pause.abort(reason)
  }

  /** Gives up what is running now, unrecorded. */
  abandon(): void {
    const reason = new RunAborted('The server is stopping')
    this.record.close()
    this.#scope.abort(reason)
    this.#ended.resolve({ kind: 'stopped', cause: reason })
  }

  /** Cancels at once. `undefined` when the run came to rest before. */
  async cancel(reason: string): Promise<CancelledOutcome | undefined> {
    if (this.record.closed) return undefined
    const rest = { status: 'cancelled', at: this.record.now(), reason } as const
    this.#stageRest(rest)
    this.#scope.abort(new RunAborted(`Cancelled: ${reason}`))
    const end = await this.#settle(rest)
    if (end.kind === 'stopped' && end.cause instanceof StoreFailure) throw end.cause
    return end.kind === 'rest' ? rest : undefined
  }

  async #drive(): Promise<void> {
    const rest = await this.#toRest()
    if (!rest || this.record.closed) return
    this.#stageRest(rest)
    await this.#settle(rest)
  }

  /** Ends the run as far as the store takes what was staged last. */
  async #settle(rest: RunOutcome): Promise<RunEnd> {
    const stored = await this.record.commit()
    const end = stored === true ? ({ kind: 'rest', rest } as const) : this.#unstored(stored)
    if (end.kind === 'rest' && rest.status === 'error') this.#logFailure(rest.error)
    this.#ended.resolve(end)
    return end
  }

  /** With the stack, also where it is not recorded. */
  #logFailure({ stepId }: ExecutionError): void {
    const { logger, logBindings } = this.#options.interpretation
    logger.error({ ...logBindings, stepId, err: this.#thrown }, 'Execution failed')
  }

  #unstored(stored: false | StoreFailure): RunEnd {
    if (stored) return { kind: 'stopped', cause: stored }
    if (!this.record.stored) return { kind: 'refused' }
    return { kind: 'stopped', cause: new RunAborted('The execution belongs to somebody else now') }
  }

  /** Runs until the execution has something to rest on; `undefined` when it ended some other way. */
  async #toRest(): Promise<RunOutcome | undefined> {
    const { record, interpretation, errors } = this.#options
    const at = () => record.now()
    try {
      const io = new EmbeddedIo({ ...this.#options, stopRequest: () => this.#stop }, this.#scope)
      const output = await interpret(interpretation, io)
      return { status: 'completed', at: at(), output }
    } catch (error) {
      if (error instanceof Parked) return this.#suspendedBy(error)
      this.#thrown = error instanceof StepFailure ? (error.cause ?? error.recorded) : error
      if (error instanceof StepFailure) return { status: 'error', at: at(), error: error.recorded }
      if (error instanceof RunAborted || error instanceof StoreFailure) {
        await this.#stoppedBy(error)
        return undefined
      }
      return { status: 'error', at: at(), error: recordError(error, errors) }
    }
  }

  async #stoppedBy(cause: unknown): Promise<void> {
    if ((await this.#begun) === false) return this.#ended.resolve({ kind: 'refused' })
    // a cancelled run is closed and settles by itself
    if (!this.record.closed) {
      this.record.close()
      this.#ended.resolve({ kind: 'stopped', cause })
    }
  }

  #suspendedBy({ place, request }: Parked): RunOutcome {
    const { workflow } = this.#options.interpretation
    const { resumeSchema = workflow.schemasOf(place.step).resume?.input ?? null } = request
    return {
      status: 'suspended',
      at: this.record.now(),
      place: { step: place.step, path: place.path, index: place.index },
      request,
      resumeSchema,
    }
  }

  #stageRest(rest: RunOutcome): void {
    this.record.close(outcomeChange(rest, this.record.row.createdAt))
  }
}

/** What an execution's record says once it came to rest. */
export function outcomeChange(rest: RunOutcome, startedAt: number): Change {
  return {
    at: rest.at,
    set: {
      status: rest.status,
      suspendRequest: null,
      ...(rest.status === 'suspended'
        ? { suspension: JSON.stringify(storedSuspension(rest)) }
        : { endedAt: rest.at, suspension: null }),
      ...(rest.status === 'completed' && { output: rest.output }),
      ...(rest.status === 'error' && { error: JSON.stringify(rest.error) }),
    },
    cancelSteps: rest.status === 'cancelled' || rest.status === 'error',
    events: outcomeEvents(rest, startedAt),
  }
}
