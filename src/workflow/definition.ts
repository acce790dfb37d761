import type { Agent } from '../agent/agent.ts'
import type { Budget } from '../agent/budgets/budget.ts'
import type { CallAgent } from '../agent/agent-request.ts'
import type { Approvers, Callers, Resumers } from '../contract/access/callers.ts'
import type { StepType } from '../contract/status.ts'
import type { Duration } from '../lib/duration.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { Retries } from '../step/retry.ts'
import type { EventTriggers } from './event-triggers.ts'
import type { WorkflowHooks } from './hooks.ts'
import type { WorkflowLimits } from './limits.ts'
import type { Compensate } from '../step/compensation.ts'
import type { StepContext } from './step-context.ts'
import type { TaskOptions } from './step-options.ts'

/** A declared workflow, complete or not. */
export interface WorkflowParts
  extends WorkflowLimits<never>, EventTriggers<never, unknown>, WorkflowHooks<never, never> {
  /** Id of the workflow. */
  readonly id: string
  /** Name of the workflow. */
  readonly name: string
  /** Description for people and models. */
  readonly purpose: string
  /** Schema of the input. */
  readonly inputSchema?: Schema
  /** Schema of the result. */
  readonly resultSchema?: Schema
  /** Inputs to try it with. */
  readonly examples?: readonly unknown[]
  /** Schema of the data that `suspend` records. */
  readonly suspendSchema?: Schema
  /** Schema of the data that a resume passes. */
  readonly resumeSchema?: Schema
  /** How often its steps are retried. */
  readonly retries?: Retries
  /** Maximum time of an execution. */
  readonly timeout?: Duration
  /** Budgets of the workflow. */
  readonly budgets?: readonly Budget[]
  /** Who may start it. */
  readonly startedBy?: Callers
  /** Who may resume it. */
  readonly resumableBy?: Resumers
  /** Steps of the workflow. */
  readonly steps: readonly StepDefinition[]
  /** The function of a workflow that is one; it has no steps. */
  readonly run?: WorkflowFunction
  /** What the function calls and the configuration does not have. */
  readonly uses?: readonly (Agent | WorkflowDefinition)[]
}

/** The name of a function among the steps of its workflow. */
export const FUNCTION_ID = 'run'

/** The function of a workflow. Its result is encoded as JSON. */
export type WorkflowFunction = (context: never) => unknown

/** A workflow that can be run: its last result fits its `resultSchema`. */
export interface WorkflowDefinition extends WorkflowParts {
  readonly '~problem'?: undefined
}

/** A workflow with input of type `Input` and a result of type `Result`. */
export interface TypedWorkflow<Input, Result> extends WorkflowDefinition {
  readonly '~types'?: (input: Input) => Result
}

/** A declared step. */
export interface StepDefinition extends TaskOptions {
  /** Kind of the step. */
  readonly type: StepType
  /** Nested steps; of those, steps of type `group` are chains. */
  readonly steps: readonly StepDefinition[]
  /** The agent that an `andAgent` step calls. */
  readonly agent?: Agent
  /** The workflow that an `andWorkflow` step runs as a child execution. */
  readonly workflow?: WorkflowDefinition
  /** Undoes the step after it has completed. */
  readonly compensate?: Compensate<unknown>
  /** Whether its function may suspend, by itself or in a recorded call; judged by its source. */
  readonly maySuspend?: boolean
  /** Whether its function may make recorded calls, judged by its source. */
  readonly makesCalls?: boolean
  /** Who may end its wait, by an event or a resume. Only for steps that wait without a person; default: operators. */
  readonly openTo?: Callers
  /** Whose response to its suspension counts, of the users. Default: by the rules of the execution. */
  readonly approvedBy?: Approvers
  /** The name of the event that an `andWaitForEvent` step waits for. */
  readonly event?: string
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /** Runs the step and returns its result as JSON text. */
  readonly run: (runtime: StepRuntime) => Promise<string>
}

/** Returned by the body of a group that ran nothing; the result of the step is then its input. */
export const SKIPPED: unique symbol = Symbol('skipped')

/** The event that a step waits for. */
export interface AwaitedEvent {
  /** Name of the event. */
  readonly event: string
  /** Key of the event. */
  readonly key: ((context: StepContext) => Promise<string>) | undefined
  /** How long it is waited for. */
  readonly timeout: Duration | undefined
  /** Whether the step continues or fails after the timeout. */
  readonly onTimeout: 'continue' | 'fail'
}

/** The result of a nested step as JSON text, or why it has failed. */
export type Attempted =
  | {
      /** Output of the step; missing when it failed. */
      readonly output: string
    }
  | {
      /** Error of the step; missing when it succeeded. */
      readonly error: {
        /** Name of the error's class. */
        readonly name: string
        /** Message of the error. */
        readonly message: string
        /** Id of the step that failed. */
        readonly stepId: string
      }
    }

/** Operations the engine provides to a step kind's `run`. Values that flow between steps are JSON text. */
export interface StepRuntime {
  /** The step's input. */
  readonly data: string
  /** How often the step was resumed. */
  readonly resumes: number
  /** The URL of a signed link that resumes the step; `undefined` where there is none. Default of the timeout: that of the configuration. */
  resumeUrl(timeoutMs: number | undefined): string | undefined
  /** Calls a function of a group, such as a condition, with the step's input or other data. Only valid in the body of `group`. */
  evaluate(body: (context: StepContext) => unknown, data?: string): Promise<unknown>
  /** Runs user code as one durable unit, with the step's retries, timeout and suspension. */
  invoke(body: (context: StepContext) => unknown): Promise<string>
  /** Calls an agent. Only valid within an attempt. */
  readonly callAgent: CallAgent
  /** Like `invoke`, but the result is the input, and a failure is recorded, not thrown. */
  tap(body: (context: StepContext) => unknown): Promise<string>
  /** Records a step that consists of other steps. */
  group(body: () => Promise<string | typeof SKIPPED>): Promise<string>
  /**
   * Whether an earlier run started this nested step, or this round of it, so that its condition needs no second
   * evaluation.
   */
  hasStarted(step: StepDefinition, round?: number): boolean
  /** Runs a nested step, or a group. */
  run(step: StepDefinition, data: string): Promise<string>
  /** Runs a nested step. Resolves to its failure when it has failed for good. */
  attempt(step: StepDefinition, data: string): Promise<Attempted>
  /** Runs nested steps in parallel and returns their results in order. */
  all(steps: readonly StepDefinition[], data: string): Promise<string[]>
  /** Runs nested steps in parallel and returns the first result. The signal of the others aborts. */
  race(steps: readonly StepDefinition[], data: string): Promise<string>
  /** Waits until the time, in milliseconds since the epoch, that a function chooses once. The result is the input. */
  sleep(timeOf: (context: StepContext, now: number) => Promise<number>): Promise<string>
  /** Waits for an event; its data is the result. */
  waitForEvent(awaited: AwaitedEvent): Promise<string>
  /** Runs a nested step as a round of a loop, counted from 0. */
  round(step: StepDefinition, round: number, data: string): Promise<string>
  /** The items that a function chooses, or those of the input; chosen once, then recorded. */
  items(choose: ((context: StepContext) => unknown) | undefined): Promise<readonly string[]>
  /** Runs a nested step for each item and returns the results in order. */
  each(
    step: StepDefinition,
    items: readonly string[],
    options: {
      /** Maximum number of items at the same time. */
      readonly concurrency: number
      /** What happens after the error of an item. */
      readonly onError: 'fail' | 'continue'
    },
  ): Promise<string[]>
  /** Runs another workflow as a child execution and waits for its result. */
  child(workflow: WorkflowDefinition, input: (context: StepContext) => unknown): Promise<string>
}
