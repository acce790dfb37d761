import type { Callers, Resumers } from '../contract/access/callers.ts'
import type { IfJson, JsonResult } from '../lib/json/json-result.ts'
import type { JsonOutput } from '../lib/schema/json-output.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'
import type { Retries } from './retry.ts'
import type { StartOptions, StartedWorkflow, WorkflowResult } from './calls/start.ts'
import type { WorkflowParts } from './definition.ts'
import type { EventTriggers } from './event-triggers.ts'
import type { WorkflowHooks } from './hooks.ts'
import type { WorkflowLimits } from './limits.ts'
import type { AndAgentConfig, AgentStepResult, JsonAnswer, NoMap } from './steps/and-agent.ts'
import type { AndAllConfig } from './steps/and-all.ts'
import type { AndBranchConfig } from './steps/and-branch.ts'
import type {
  ArrayOrItems,
  AndForEachConfig,
  AndForEachOfData,
  ItemOf,
  ItemResults,
  OnItemError,
} from './steps/and-for-each.ts'
import type { AndRaceConfig } from './steps/and-race.ts'
import type { AndSleepConfig } from './steps/and-sleep.ts'
import type { AndSleepUntilConfig } from './steps/and-sleep-until.ts'
import type { AndWaitForEventConfig } from './steps/and-wait-for-event.ts'
import type { AllAdded, AllResults, AnyResult, Step } from './step.ts'
import type { EventData, OnEventTimeout, Optional, Own, StepResult } from './step-result.ts'
import type { AndTapConfig } from './steps/and-tap.ts'
import type { AndThenConfig } from './steps/and-then.ts'
import type { AndWhenConfig } from './steps/and-when.ts'
import type { AndWorkflowConfig, ChildInput } from './steps/and-workflow.ts'
import type { LoopConfig } from './loop.ts'

/** Options of `createWorkflow`. */
export interface WorkflowConfig<
  In extends Schema = Schema,
  Out extends Schema = Schema,
  Id extends string = string,
>
  extends
    WorkflowLimits<Given<In, Record<string, unknown>>>,
    EventTriggers<Given<In, Record<string, unknown>>, CallerInput<In>>,
    WorkflowHooks<Given<In, Record<string, unknown>>, Given<Out, unknown>> {
  /** Unique in the project; part of the URL. */
  readonly id: Id
  readonly name?: string
  /** A one-sentence description. */
  readonly purpose?: string
  readonly inputSchema?: In & JsonOutput<In>
  readonly resultSchema?: Out & JsonOutput<Out>
  /** The default `suspendSchema` of steps: the schema of the data that they pass to `suspend`. */
  readonly suspendSchema?: Schema
  /** The default `resumeSchema` of steps: the schema of the data that resume accepts. */
  readonly resumeSchema?: Schema
  /** The default retry policy of steps. */
  readonly retries?: Retries
  /**
   * Who can start executions: users, operators (console key or development bypass) and code; operators and code; or only
   * code (`start`, schedules, steps). Default `users`.
   */
  readonly startedBy?: Callers
  /**
   * Who of the users can suspend and resume executions. `owner`: only the one who started an execution. `others`: all but
   * this one can resume it. `operators`: none. Default: every valid user token, or the owner under `ownership: 'strict'`.
   */
  readonly resumableBy?: Resumers
}

/** What a workflow with this input schema accepts. */
export type CallerInput<S extends Schema> = Schema extends S ? Record<string, unknown> : InferInput<S>

/** The output of a schema. An option that is not set has the type `Schema`. */
export type Given<S extends Schema, Otherwise> = Schema extends S ? Otherwise : InferOutput<S>

/**
 * Shown by the compiler when the last step of a workflow returns a value that its `resultSchema` refuses. Where `string` was
 * inferred and literals are accepted, write `'paid' as const`.
 */
export interface ResultDoesNotFitSchema<LastResult, Accepted> {
  readonly lastResult: LastResult
  readonly accepted: Accepted
}

type Problem<Data, Out extends Schema> = [Out] extends [StandardSchema]
  ? [Data] extends [InferInput<Out>]
    ? undefined
    : ResultDoesNotFitSchema<Data, InferInput<Out>>
  : undefined

/**
 * Makes the compiler keep the literals of a result whose members have literal types in the result schema, such as those of
 * an enum. The extra member makes the type differ from every result, so the result's own type is still inferred. The default
 * `never` of that type matters: with `unknown` the union of both would be `unknown`, without literals.
 */
type Literals<Out extends Schema> = [Out] extends [StandardSchema]
  ? unknown extends InferInput<Out>
    ? never
    : IfJson<InferInput<Out>, InferInput<Out> & { readonly '~literals'?: never }>
  : never

/**
 * A workflow that accepts `Input`, passes `Parsed` (the output of its input schema) to its steps, and whose last step
 * returns `Data`. `Results` are those of its steps by their ids. Immutable: each method returns a new workflow with one
 * more step.
 */
export interface Workflow<
  Input,
  Parsed,
  Data,
  Out extends Schema = Schema,
  Id extends string = string,
  Results = object,
> extends WorkflowParts {
  readonly id: Id
  readonly '~types'?: (input: Input) => Given<Out, Data>
  readonly '~problem'?: Problem<Data, Out>
  /**
   * Starts an execution on the server that runs the calling code: a route, a WebSocket handler, a tool, a hook or a
   * step. Resolves when it is stored.
   *
   * @throws an error with the `code` `invalid_input`, `conflict` when the id is in use, `not_found` when the
   *   configuration does not have the workflow, and `unavailable` outside of a server
   */
  start(input: Input, options?: StartOptions): Promise<StartedWorkflow<Given<Out, Data>>>
  /**
   * Starts an execution as `start` does, and waits until it completes, fails, suspends or is cancelled. A failed
   * execution resolves too; its error is in `error`.
   */
  execute(input: Input, options?: StartOptions): Promise<WorkflowResult<Given<Out, Data>>>
  andThen<
    R extends JsonResult<R> = never,
    D extends Schema = Schema,
    O extends Schema = Schema,
    S extends Schema = Schema,
    U extends Schema = Schema,
    I extends string = string,
  >(
    config: AndThenConfig<Parsed, Data, R | Literals<Out>, D, O, S, U, Results, I>,
  ): Workflow<Input, Parsed, StepResult<O, R>, Out, Id, Results & Own<I, StepResult<O, R>>>
  andWhen<R, I extends string, A>(
    config: AndWhenConfig<Parsed, Data, R, Results, I, A>,
  ): Workflow<Input, Parsed, Data | R, Out, Id, Results & Own<I, Data | R> & Optional<A>>
  andAll<L extends readonly unknown[] | [], I extends string>(
    config: AndAllConfig<Parsed, Data, L, Results, I>,
  ): Workflow<Input, Parsed, AllResults<L>, Out, Id, Results & Own<I, AllResults<L>> & AllAdded<L>>
  andRace<L extends readonly unknown[] | [], I extends string>(
    config: AndRaceConfig<Parsed, Data, L, Results, I>,
  ): Workflow<Input, Parsed, AnyResult<L>, Out, Id, Results & Own<I, AnyResult<L>> & Optional<AllAdded<L>>>
  andBranch<L extends readonly unknown[] | [], I extends string, A, E = Data>(
    config: AndBranchConfig<Parsed, Data, L, E, Results, I, A>,
  ): Workflow<
    Input,
    Parsed,
    AnyResult<L> | E,
    Out,
    Id,
    Results & Own<I, AnyResult<L> | E> & Optional<AllAdded<L> & A>
  >
  andForEach<R, I extends string, E extends OnItemError = 'fail'>(
    config: AndForEachOfData<Parsed, ItemOf<Data>, R, E, Results, I> & ArrayOrItems<Data>,
  ): Workflow<Input, Parsed, ItemResults<R, E>, Out, Id, Results & Own<I, ItemResults<R, E>>>
  andForEach<R, T, I extends string, E extends OnItemError = 'fail'>(
    config: AndForEachConfig<Parsed, Data, T, R, E, Results, I>,
  ): Workflow<Input, Parsed, ItemResults<R, E>, Out, Id, Results & Own<I, ItemResults<R, E>>>
  andDoWhile<R extends Data, I extends string>(
    config: LoopConfig<Parsed, Data, R, Results, I>,
  ): Workflow<Input, Parsed, R, Out, Id, Results & Own<I, R>>
  andDoUntil<R extends Data, I extends string>(
    config: LoopConfig<Parsed, Data, R, Results, I>,
  ): Workflow<Input, Parsed, R, Out, Id, Results & Own<I, R>>
  andSleep<I extends string>(
    config: AndSleepConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  andSleepUntil<I extends string>(
    config: AndSleepUntilConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  andWaitForEvent<I extends string, S extends Schema = Schema, E extends OnEventTimeout = 'fail'>(
    config: AndWaitForEventConfig<Parsed, Data, S, E, Results, I>,
  ): Workflow<Input, Parsed, EventData<S, E>, Out, Id, Results & Own<I, EventData<S, E>>>
  andTap<I extends string>(
    config: AndTapConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  andAgent<S extends Schema, I extends string, R extends JsonResult<R> | NoMap = NoMap>(
    config: AndAgentConfig<Parsed, Data, R, S, Results, I> & JsonAnswer<S>,
  ): Workflow<Input, Parsed, AgentStepResult<S, R>, Out, Id, Results & Own<I, AgentStepResult<S, R>>>
  andWorkflow<Needed, R, I extends string>(
    config: AndWorkflowConfig<Parsed, Data, Needed, R, Results, I> &
      ChildInput<Parsed, Data, Needed, Results>,
  ): Workflow<Input, Parsed, R, Out, Id, Results & Own<I, R>>
  /** Appends a step that was made by `andThen()` or another step function. */
  and<R, A>(step: Step<Parsed, Data, R, Results, A>): Workflow<Input, Parsed, R, Out, Id, Results & A>
}
