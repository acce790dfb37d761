import type { Logger } from 'pino'
import type { FinishReason, Usage } from '../contract/agent-event.ts'
import type { Approvers } from '../contract/access/callers.ts'
import type { Metadata } from '../contract/metadata.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { Duration } from '../lib/duration.ts'
import type { IfJson, JsonResult } from '../lib/json/json-result.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'
import type { EventDefinition } from './define-event.ts'
import type { EventToSend } from './event-to-send.ts'
import type { Compensate } from './compensation.ts'
import type { Retries } from './retry.ts'
import type { EventData, OnEventTimeout, StepResult, TimedOut } from './step-result.ts'

/** The argument of a function that is called by `step.run`. */
export interface CallContext {
  /**
   * The number of this attempt, from 1. Counts failed attempts and attempts interrupted by a crash. Resets on
   * resume.
   */
  readonly attempt: number
  /**
   * A key that is equal for all attempts of this step in this execution. Pass it to every API that accepts an
   * idempotency key.
   */
  readonly idempotencyKey: string
  /**
   * Aborts when the execution is cancelled, the attempt times out, or another branch of a race completes first.
   */
  readonly signal: AbortSignal
  /** Recorded calls: what they return is stored, and not repeated when the step runs again. */
  readonly step: StepCalls
  /** Logger whose records belong to the execution. */
  readonly logger: Logger
  /** Adds an event of type `custom` to the execution's event stream. `payload` must be a JSON value. */
  readonly emit: <Payload extends JsonResult<Payload>>(type: string, payload?: Payload) => void
}

/** An agent that can be asked: made by `createAgent`. */
interface AskedAgent {
  /** Id of the agent. */
  readonly id: string
  /** Name of the agent. */
  readonly name: string
  /** Instructions of the agent. */
  readonly instructions: unknown
  /** Problems of the agent's declaration. */
  readonly problems: readonly string[]
}

/** A tool that can be called: made by `createTool`. */
interface CalledTool<Input, Output> {
  /** Name of the tool. */
  readonly name: string
  /** Description for the model. */
  readonly description: string
  /** Runs the tool. */
  execute?(input: Input, context: never): Output | Promise<Output>
}

/** A workflow that a function can run: made by `createWorkflow`. */
interface ChildWorkflow<Input, Result> {
  /** Id of the workflow. */
  readonly id: string
  readonly '~types'?: (input: Input) => Result
}

/** Options of every recorded call. */
export interface CallOptions {
  /** The name in records and the console. Default: the id. */
  readonly name?: string
  /** The id, or the ids, that it had before: executions that ran it under one of them continue with what is recorded there. */
  readonly was?: string | readonly string[]
}

/** Options of a declared event that a call sends. */
export interface EventCallOptions extends CallOptions, Pick<EventToSend, 'key'> {}

/** Options of `step.run()`. */
export interface StepRunOptions<Output extends Schema = Schema, Result = unknown> extends CallOptions {
  /** How often the function is called again when it fails. Default: that of the workflow. */
  readonly retries?: Retries
  /** The timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number
  /** Schema of the result. */
  readonly outputSchema?: Output
  /** Undoes the call when the execution fails, exceeds its time or is cancelled after it has completed. */
  readonly compensate?: Compensate<StepResult<Output, NoInfer<Result>>>
}

/** Options of `step.workflow()`. */
export interface WorkflowCallOptions<Result = unknown> extends CallOptions {
  /** Undoes the child when the execution fails, exceeds its time or is cancelled after the child has completed. */
  readonly compensate?: Compensate<NoInfer<Result>>
}

/** What `notify` of a suspension gets. */
export interface SuspendNotice {
  /** The link. Whoever has it can resume the execution. */
  readonly url: string
  /** Recorded calls, whose ids begin with that of the suspension. */
  readonly step: StepCalls
}

/** Options of `step.suspend()`. */
export interface SuspendOptions<
  Suspend extends Schema = Schema,
  Resume extends Schema = Schema,
  OnTimeout extends OnEventTimeout = OnEventTimeout,
> extends CallOptions {
  /** What it waits for, for people. */
  readonly reason?: string
  /** What is needed to decide; a JSON value. */
  readonly data?: Schema extends Suspend ? unknown : IfJson<InferInput<Suspend>, InferInput<Suspend>>
  /** Schema of the data that is recorded. */
  readonly suspendSchema?: Suspend
  /** The schema of the data of a resume. Default: that of the workflow. */
  readonly resumeSchema?: Resume
  /**
   * Called before the execution is suspended, with a signed link to a page that resumes it, once and without an account.
   * Send it by a recorded call, so that a crash does not send it twice. Not called where there are no links; the log says why.
   */
  readonly notify?: (link: SuspendNotice) => Awaitable<unknown>
  /** How long it waits: `'3d'`, `'10m'` or milliseconds. Default: without a limit. */
  readonly timeout?: Duration
  /** `continue`: the result is `{ timedOut: true }` when the time is over. Default `fail`: a {@link SuspendTimeoutError}. */
  readonly onTimeout?: OnTimeout
}

/** Options of a suspension for which it counts who responds. */
export interface ApprovedSuspendOptions extends SuspendOptions {
  /** Who of the users may resume it, as of tools that need approval. */
  readonly approvedBy?: Approvers
}

/** Options of `step.waitForEvent()`. */
export interface WaitForEventOptions<
  S extends Schema = Schema,
  OnTimeout extends OnEventTimeout = OnEventTimeout,
> extends CallOptions {
  /** The event: its name, or what `defineEvent` has made. */
  readonly event: string | EventDefinition<S>
  /** The key that the event must have. Default: only events without a key. */
  readonly key?: string
  /** The schema of the event's data. Default: that of the event. */
  readonly schema?: S
  /** How long it waits: `'7d'`, `'10m'` or milliseconds. Default: without a limit. */
  readonly timeout?: Duration
  /** `continue`: the result is `{ timedOut: true }` when the time is over. Default `fail`: an error with the name `EventTimeoutError`. */
  readonly onTimeout?: OnTimeout
}

/** Options of `step.agent()`. */
export interface AgentCallOptions<S extends Schema = Schema> extends CallOptions {
  /** Prompt of the call. */
  readonly prompt: string
  /** The schema of the answer. Without it the answer is text. */
  readonly schema?: S
  /** How often the call is retried after an error. */
  readonly retries?: Retries
  /** The timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number
}

/** The answer of an agent. `object` is there if the call has a schema. */
export interface AgentCallResult<S extends Schema> {
  /** Text of the answer. */
  readonly text: string
  /** The usage of all model calls, including those of sub-agents. */
  readonly usage: Usage
  /** Why the model stopped. */
  readonly finishReason: FinishReason
  /** Object that fits the schema of the call; missing without one. */
  readonly object: Schema extends S ? undefined : InferOutput<S>
}

/**
 * Recorded calls. Each has an id that is unique in its function; what it returns is stored before the code after `await`
 * runs. When the execution continues, after a crash, a resume or a sleep, the function runs again from its top, and
 * recorded calls return what they have returned, without running. A call that fails for good throws a `StepError`.
 *
 * @example
 * const charge = await step.run('charge', ({ idempotencyKey }) => pay(total, { idempotencyKey }), { retries: 3 })
 * await step.sleep('cool-down', '1h')
 */
export interface StepCalls {
  /** Calls a function. Its result must be JSON. */
  run<R extends JsonResult<R>, Output extends Schema = Schema>(
    id: string,
    fn: (context: CallContext) => Awaitable<R>,
    options?: StepRunOptions<Output, R>,
  ): Promise<StepResult<Output, R>>
  /** Waits. For more than a few seconds the execution is suspended, and takes no memory. */
  sleep(id: string, duration: Duration, options?: CallOptions): Promise<void>
  /** Waits until a time: a `Date`, or a text in ISO 8601. */
  sleepUntil(id: string, time: Date | string, options?: CallOptions): Promise<void>
  /** Suspends the execution until it is resumed. Resolves to the data of the resume; `null` for a resume without data. */
  suspend<
    Suspend extends Schema = Schema,
    Resume extends Schema = Schema,
    OnTimeout extends OnEventTimeout = 'fail',
  >(
    id: string,
    options?: SuspendOptions<Suspend, Resume, OnTimeout>,
  ): Promise<
    | ([Resume] extends [StandardSchema] ? InferOutput<Resume> : unknown)
    | ('continue' extends OnTimeout ? TimedOut : never)
  >
  /** Waits for an event, and resolves to its data. */
  waitForEvent<S extends Schema = Schema, OnTimeout extends OnEventTimeout = 'fail'>(
    id: string,
    options: WaitForEventOptions<S, OnTimeout>,
  ): Promise<EventData<S, OnTimeout>>
  /** Asks an agent. While its tool calls wait for approval or for the client, the execution is suspended. */
  agent<S extends Schema = Schema>(
    id: string,
    agent: AskedAgent,
    options: AgentCallOptions<S>,
  ): Promise<AgentCallResult<S>>
  /** Calls a tool, without asking for an approval: that is the workflow's own decision. */
  tool<Input, Output>(
    id: string,
    tool: CalledTool<Input, Output>,
    input: Input,
    options?: Omit<StepRunOptions, 'outputSchema' | 'compensate'>,
  ): Promise<Output>
  /** Runs another workflow as a child execution, and resolves to its result. */
  workflow<Input, Result>(
    id: string,
    workflow: ChildWorkflow<Input, Result>,
    input: Input,
    options?: WorkflowCallOptions<Result>,
  ): Promise<Result>
  /**
   * Adds members to the metadata of the execution, by which it is found. Not a recorded call: it is repeated with the function.
   *
   * @throws TypeError when a value is no text, number or boolean, or there are more than 20 members
   */
  metadata(values: Metadata): void
  /** Sends an event, once. Resolves to the number of executions that it has resumed or started. */
  sendEvent(id: string, event: Omit<EventToSend, 'id'>, options?: CallOptions): Promise<number>
  /** Sends an event that was made by `defineEvent`, once. */
  sendEvent<S extends Schema>(
    id: string,
    event: EventDefinition<S>,
    data: InferInput<S>,
    options?: EventCallOptions,
  ): Promise<number>
}
