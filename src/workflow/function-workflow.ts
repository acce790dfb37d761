import type { Agent } from '../agent/agent.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { IfJson } from '../lib/json/json-result.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'
import type { StartOptions, StartedWorkflow, WorkflowResult } from '../calls/start.ts'
import type { WorkflowDefinition, WorkflowParts } from './definition.ts'
import type { StepContext } from './step-context.ts'
import type { Given, WorkflowConfig } from './workflow.ts'

/** The argument of the function of a workflow. */
export type FunctionContext<Input = unknown> = Pick<
  StepContext<unknown, Input>,
  | 'input'
  | 'context'
  | 'userId'
  | 'user'
  | 'resumedBy'
  | 'conversationId'
  | 'executionId'
  | 'signal'
  | 'logger'
  | 'emit'
  | 'step'
>

/** With a result schema the function returns the schema's input; a condition on the function keeps literal types. */
type Run<Context, Out extends Schema, Result> = [Out] extends [StandardSchema]
  ? (context: Context) => Awaitable<Accepted<Out>>
  : (context: Context) => Awaitable<Result>

type Accepted<Out extends Schema> = IfJson<InferOutput<Out>, InferInput<Out>>

/** Options of `createWorkflow` for a workflow that is a function. */
export interface FunctionConfig<
  In extends Schema = Schema,
  Out extends Schema = Schema,
  Id extends string = string,
  Result = unknown,
> extends WorkflowConfig<In, Out, Id> {
  /** Runs from its top each time the execution continues. What is not in a recorded call of `step` runs each time. */
  readonly run: Run<FunctionContext<Given<In, Record<string, unknown>>>, Out, Result>
  /** The agents and workflows that the function calls, unless the configuration has them. */
  readonly uses?: readonly (Agent | WorkflowDefinition)[]
}

/** A workflow that is a function. It accepts `Input` and returns `Result`. */
export interface FunctionWorkflow<Input, Result, Id extends string = string> extends WorkflowParts {
  /** Id of the workflow. */
  readonly id: Id
  readonly '~types'?: (input: Input) => Result
  readonly '~problem'?: undefined
  /**
   * Starts an execution on the server that runs the calling code. Resolves when it is stored.
   *
   * @throws an error with the `code` `invalid_input`, `conflict` when the id is in use, `not_found` when the
   *   configuration does not have the workflow, and `unavailable` outside of a server
   */
  start(input: Input, options?: StartOptions): Promise<StartedWorkflow<Result>>
  /** Starts an execution as `start` does, and waits until it completes, fails, suspends or is cancelled. */
  execute(input: Input, options?: StartOptions): Promise<WorkflowResult<Result>>
}
