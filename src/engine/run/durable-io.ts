import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { RetryPolicy } from '../../workflow/retry.ts'
import type { PlacedStep } from '../../workflow/rules.ts'
import type { AwaitedEvent, SKIPPED } from '../../workflow/definition.ts'

/** One durable unit of an execution. Its key is the step's path and how often the step was resumed. */
export interface StepTask extends PlacedStep {
  /** JSON text. */
  readonly input: string
  readonly resumes: number
  readonly retries: RetryPolicy
  /** A failure is recorded, and the input becomes the result. */
  readonly continueOnError: boolean
}

export interface StepAttempt {
  /** 1 for the first. */
  readonly number: number
  /** How many attempts have failed since the last resume. */
  readonly failures: number
  readonly signal: AbortSignal
  /** The attempt's span. */
  readonly trace: TraceScope
  /** Part of the work was recorded, and is not repeated: a crash from now on does not count against the step. */
  readonly onProgress: () => void
}

/** The arguments of a suspension. `data` is JSON text. */
export interface SuspendRequest {
  readonly reason: string
  readonly data: string | null
  /** JSON Schema of the resume data. Default: the step's own; null when none is requested. */
  readonly resumeSchema?: unknown
  /** The id of the user who requested it from outside. */
  readonly by?: string | undefined
  /** When it wakes by itself, in milliseconds since the epoch. */
  readonly wakeAt?: number | undefined
  /** The name and the key of the event that it waits for. */
  readonly event?: string | undefined
  readonly key?: string | undefined
  /** The run that waits for responses, of the agent that the step asked. */
  readonly run?: SuspendedRun | undefined
  /** How long the step waits, in milliseconds, unless it has a `suspendTimeout`. */
  readonly timeoutMs?: number | undefined
}

/** A run of an agent that waits for responses to tool calls. */
export interface SuspendedRun {
  readonly id: string
  /** The number of model calls before it waited: it may wait again later. */
  readonly steps: number
}

export type StepOutcome = { readonly output: string } | { readonly suspended: SuspendRequest }

/** Why a suspended step goes on. `data` is the resume data as JSON text. */
export interface Resumed {
  readonly data: string | null
  readonly timedOut: boolean
  /** The run that waited with the step. */
  readonly run?: SuspendedRun | undefined
}

/** A nested step that runs in parallel with others. */
export interface Branch {
  readonly path: string
  readonly run: (io: DurableIo) => Promise<string>
}

/**
 * The durable operations of an execution: the interpreter and the step kinds know the store through this
 * interface only. Values are JSON text.
 */
export interface DurableIo {
  readonly executionId: string
  /** Aborts on cancel and when this branch lost a race. */
  readonly signal: AbortSignal
  /** The recorded input of a step that has started, in this run or an earlier one. */
  recordedInput(path: string): string | undefined
  /** The recorded result of a step. */
  recordedOutput(path: string): string | undefined
  /** The recorded items of an andForEach step, when a function chose them. JSON text of an array. */
  recordedItems(path: string): string | undefined
  /** Records the items that a function chose. */
  recordItems(path: string, items: string): void
  /** Runs a body at least once and records its outcome exactly once. */
  step(task: StepTask, body: (attempt: StepAttempt) => Promise<StepOutcome>): Promise<StepOutcome>
  /** Runs a step that consists of other steps: recorded like one, without attempts of its own. */
  group(task: StepTask, body: () => Promise<string | typeof SKIPPED>): Promise<string>
  /** Calls a function of a group, which has no attempts. A crash during the call counts against the group. */
  evaluate<T>(task: StepTask, body: () => Promise<T>): Promise<T>
  /** Suspends the execution. Resolves once the step was resumed, or its time is over. */
  suspend(task: StepTask, request: SuspendRequest): Promise<Resumed>
  /**
   * The results in order. The first failure fails the group and cancels the other branches. At most `concurrency`
   * branches run at the same time; default: all.
   */
  all(branches: readonly Branch[], concurrency?: number): Promise<string[]>
  /** The first result; the other branches are then cancelled. A recorded winner wins again. */
  race(branches: readonly Branch[]): Promise<string>
  /** Waits until the time that `timeOf` chooses once, in milliseconds since the epoch; a long wait suspends. */
  sleep(task: StepTask, timeOf: (now: number) => Promise<number>): Promise<string>
  /** Waits for an event, which suspends; `key` is called once. The result is the event's data. */
  waitForEvent(task: StepTask, awaited: AwaitedEvent, key: () => Promise<string | null>): Promise<string>
  /** Runs a workflow as an execution of its own; `input` is called once. */
  child(task: StepTask, workflowId: string, input: () => Promise<unknown>): Promise<string>
  /** Throws when the execution suspends before the step because of a breakpoint. */
  pauseBefore(task: StepTask): void
  /** Throws when the execution was cancelled, suspended or stopped from outside. */
  checkpoint(task: StepTask): void
  /** Adds a `custom` event, committed with the next step boundary. */
  emit(event: CustomEvent): void
}

export interface CustomEvent {
  readonly stepId: string
  readonly name: string
  /** JSON text. */
  readonly data: string
}
