import type { Budget } from '../agent/budgets/budget.ts'
import type { Callers, Resumers } from '../contract/access/callers.ts'
import type { Duration } from '../lib/duration.ts'
import type { IfJson, JsonResult } from '../lib/json/json-result.ts'
import type { JsonOutput } from '../lib/schema/json-output.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../lib/schema/schema.ts'
import type { Retries } from '../step/retry.ts'
import type { StartOptions, StartedWorkflow, WorkflowResult } from '../calls/start.ts'
import type { WorkflowParts } from './definition.ts'
import type { EventTriggers } from './event-triggers.ts'
import type { WorkflowHooks } from './hooks.ts'
import type { WorkflowLimits } from './limits.ts'
import type {
  AndAgentConfig,
  AgentStepResult,
  AnswerSchema,
  JsonAnswer,
  NoMap,
  SchemaIn,
} from './steps/and-agent.ts'
import type { AndSleepConfig } from './steps/and-sleep.ts'
import type { AndSleepUntilConfig } from './steps/and-sleep-until.ts'
import type { AndWaitForEventConfig } from './steps/and-wait-for-event.ts'
import type { AddedIn, AllAdded, AllResults, AnyResult, Made, ResultIn, Step, StepThatMakes } from './step.ts'
import type { ContextOf } from './step-context.ts'
import type { StepOptions } from './step-options.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { EventData, Later, OnEventTimeout, Optional, Own, StepResult } from '../step/step-result.ts'
import type { AndTapConfig } from './steps/and-tap.ts'
import type { AndThenConfig } from './steps/and-then.ts'
import type { AndWorkflowConfig, ChildInput } from './steps/and-workflow.ts'

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
  /** Name in the console. Default: the id. */
  readonly name?: string
  /** A one-sentence description. */
  readonly purpose?: string
  /** Schema of the input. */
  readonly inputSchema?: In & JsonOutput<In>
  /** Schema of the result. */
  readonly resultSchema?: Out & JsonOutput<Out>
  /**
   * Inputs to try the workflow with, which `inputSchema` accepts, at most 20. They are the `examples` of the schema that the API, the
   * MCP tool and the forms of the console have; `run-workflow --example` runs one.
   *
   * @example
   * examples: [{ orderId: 'A-1', amount: 40 }, { orderId: 'B-2', amount: 250 }]
   */
  readonly examples?: readonly CallerInput<In>[]
  /** The default `suspendSchema` of steps: the schema of the data that they pass to `suspend`. */
  readonly suspendSchema?: Schema
  /** The default `resumeSchema` of steps: the schema of the data that resume accepts. */
  readonly resumeSchema?: Schema
  /** The default retry policy of steps. */
  readonly retries?: Retries
  /**
   * The longest time from the start of an execution to its end, waits included, such as `'3d'`. The execution then ends with
   * `WorkflowTimeoutError`, also while it sleeps, waits or is queued, after the compensations of its completed steps.
   */
  readonly timeout?: Duration
  /**
   * Limits of what the agents of the steps may use, those of child executions included; `per: 'run'` limits each execution.
   * Default: none.
   */
  readonly budgets?: readonly Budget[]
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
  /** Type of the last step's output. */
  readonly lastResult: LastResult
  /** Type that `resultSchema` accepts. */
  readonly accepted: Accepted
}

/** What is wrong with the result of a workflow; `undefined` if nothing is. */
export type Problem<Data, Out extends Schema> = [Out] extends [StandardSchema]
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

/** A step within another one, or a group of steps: `(chain) => chain.andThen({…}).andTap({…})`. */
export type Nested<Input, Data, Results, Makes> =
  | StepThatMakes<Input, Data, Results, Makes>
  | ((chain: Chain<Input, Data, Results>) => { readonly '~makes'?: Makes })

/** The chain of a group: each method adds a step. `Results` are those of the steps before it. */
export type Chain<Input, Data, Results = object> = Workflow<never, Input, Data, Schema, never, Results>

export interface AndWhenConfig<
  Input,
  Data,
  Makes,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Returns whether the step runs. */
  readonly condition: (context: ContextOf<Input, Data, Results>) => boolean | Promise<boolean>
  /** Step that runs when the condition holds. */
  readonly step: Nested<Input, Data, Results, Makes>
}

export interface AndAllConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Steps that run at the same time. */
  readonly steps: { readonly [K in keyof List]: Nested<Input, Data, Results, List[K]> }
}

export interface AndRaceConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Steps that run at the same time; the first result wins. */
  readonly steps: { readonly [K in keyof List]: Nested<Input, Data, Results, List[K]> }
}

interface Branch<Input, Data, Results, Makes> {
  /** Whether this branch is chosen. */
  readonly when: (context: ContextOf<Input, Data, Results>) => boolean | Promise<boolean>
  readonly step: Nested<Input, Data, Results, Makes>
}

export interface AndBranchConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Otherwise,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Checked in order. */
  readonly branches: { readonly [K in keyof List]: Branch<Input, Data, Results, List[K]> }
  /** Runs when no branch is chosen. Without it the result is then the unchanged data. */
  readonly otherwise?: Nested<Input, Data, Results, Otherwise>
}

/** Why the tried step of an andTry step has failed. */
export interface StepFailureFacts {
  /** Name of the error's class. */
  readonly name: string
  /** Message of the error. */
  readonly message: string
  /** The id of the step that has failed. */
  readonly stepId: string
}

/** The data of the step that runs when a tried step has failed. */
export interface FailedData<Data> {
  /** Error of the step. */
  readonly error: StepFailureFacts
  /** The data of the tried step. */
  readonly data: Data
}

export interface AndTryConfig<
  Input,
  Data,
  Makes,
  Caught,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Step whose error is caught. */
  readonly step: Nested<Input, Data, Results, Makes>
  /** Runs when `step` has failed for good. Its data is `{ error: { name, message, stepId }, data }`. */
  readonly catch: Nested<Input, FailedData<Data>, Results & Optional<AddedIn<Makes>, Results>, Caught>
}

/** The result of the branch that runs, or the data if none does. */
export type BranchResult<List extends readonly unknown[], Otherwise, Data> =
  | AnyResult<List>
  | (unknown extends Otherwise ? Data : ResultIn<Otherwise>)

/** What an andForEach step does when an item fails. */
export type OnItemError = 'fail' | 'continue'

/** The result of a failed item with `onError: 'continue'`. */
export interface FailedItem {
  /** Error of the item. */
  readonly error: {
    /** Message of the error. */
    readonly message: string
  }
}

/** The result of an andForEach step: the results of its items, in their order. */
export type ItemResults<Result, OnError extends OnItemError> = 'continue' extends OnError
  ? (Result | FailedItem)[]
  : Result[]

/** The items of a step whose data is an array. */
export type ItemOf<Data> = Data extends readonly (infer Item)[] ? Item : unknown

/** Requires the option `items` when the data of the step is not an array. */
export type ArrayOrItems<Data> = [Data] extends [readonly unknown[]] ? unknown : NeedsItems

/** Shown by the compiler when the data of the step is not an array and `items` is missing. */
interface NeedsItems {
  /** Returns the list from the data. */
  readonly items: () => readonly unknown[]
}

interface EachOptions<
  Input,
  Item,
  Makes,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Its `data` is the item, its context has the item's `index`. */
  readonly step: Nested<Input, Item, Results, Makes>
  /** The number of items that run at the same time. Default: 1. */
  readonly concurrency?: number
  /**
   * `fail`: when an item fails, the items that run are aborted and the step fails. `continue`: the result of a failed
   * item is `{ error: { message } }`. Default: `fail`.
   */
  readonly onError?: OnError
}

/** The items are the data of the step, which must be an array. */
export interface AndForEachOfData<
  Input,
  Item,
  Makes,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends EachOptions<Input, Item, Makes, OnError, Results, Id> {
  /** Not needed: the data is a list. */
  readonly items?: undefined
}

export interface AndForEachConfig<
  Input,
  Data,
  Item,
  Makes,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends EachOptions<Input, Item, Makes, OnError, Results, Id> {
  /** Returns the items. Called once. A group has their type; a step declares it: `({ data }: { data: Line }) => …`. */
  readonly items: (context: ContextOf<Input, Data, Results>) => Awaitable<readonly Item[]>
}

export interface LoopConfig<
  Input,
  Data,
  Makes,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Its result is the data of the next round. */
  readonly step: Nested<Input, Data, Results, Makes>
  /** Called after each round with its result as `data`. */
  readonly condition: (context: ContextOf<Input, ResultIn<Makes>, Results>) => boolean | Promise<boolean>
  /** The loop fails with a `LoopLimitError` after this number of rounds. Default: 1000. */
  readonly maxIterations?: number
}

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
  /** Id of the workflow. */
  readonly id: Id
  readonly '~types'?: (input: Input) => Given<Out, Data>
  readonly '~problem'?: Problem<Data, Out>
  readonly '~makes'?: Made<Data, Results>
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
  /** Adds a step that computes the next data. */
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
  /** Adds a step that runs when a condition holds. */
  andWhen<M, I extends string>(
    config: AndWhenConfig<Parsed, Data, M, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    Data | ResultIn<M>,
    Out,
    Id,
    Results & Own<I, Data | ResultIn<M>> & Optional<AddedIn<M>, Results>
  >
  /** Adds steps that run at the same time; the output has all results. */
  andAll<L extends readonly unknown[] | [], I extends string>(
    config: AndAllConfig<Parsed, Data, L, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    AllResults<L>,
    Out,
    Id,
    Results & Own<I, AllResults<L>> & Later<AllAdded<L>, Results>
  >
  /** Adds steps that run at the same time; the first result wins. */
  andRace<L extends readonly unknown[] | [], I extends string>(
    config: AndRaceConfig<Parsed, Data, L, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    AnyResult<L>,
    Out,
    Id,
    Results & Own<I, AnyResult<L>> & Optional<AllAdded<L>, Results>
  >
  /** Adds branches, of which the first whose condition holds runs, else `otherwise`. */
  andBranch<L extends readonly unknown[] | [], I extends string, M>(
    config: AndBranchConfig<Parsed, Data, L, M, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    BranchResult<L, M, Data>,
    Out,
    Id,
    Results & Own<I, BranchResult<L, M, Data>> & Optional<AllAdded<L> & AddedIn<M>, Results>
  >
  /** Adds a step whose error is caught. */
  andTry<M, C, I extends string>(
    config: AndTryConfig<Parsed, Data, M, C, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    ResultIn<M> | ResultIn<C>,
    Out,
    Id,
    Results & Own<I, ResultIn<M> | ResultIn<C>> & Optional<AddedIn<M> & AddedIn<C>, Results>
  >
  /** Adds a step that runs for every item of a list. */
  andForEach<M, I extends string, E extends OnItemError = 'fail'>(
    config: AndForEachOfData<Parsed, ItemOf<Data>, M, E, Results, I> & ArrayOrItems<Data>,
  ): Workflow<
    Input,
    Parsed,
    ItemResults<ResultIn<M>, E>,
    Out,
    Id,
    Results & Own<I, ItemResults<ResultIn<M>, E>>
  >
  andForEach<M, T, I extends string, E extends OnItemError = 'fail'>(
    config: AndForEachConfig<Parsed, Data, T, M, E, Results, I>,
  ): Workflow<
    Input,
    Parsed,
    ItemResults<ResultIn<M>, E>,
    Out,
    Id,
    Results & Own<I, ItemResults<ResultIn<M>, E>>
  >
  /** Adds a step that is repeated while its condition holds. */
  andDoWhile<M extends Made<Data, unknown>, I extends string>(
    config: LoopConfig<Parsed, Data, M, Results, I>,
  ): Workflow<Input, Parsed, ResultIn<M>, Out, Id, Results & Own<I, ResultIn<M>>>
  /** Adds a step that is repeated until its condition holds. */
  andDoUntil<M extends Made<Data, unknown>, I extends string>(
    config: LoopConfig<Parsed, Data, M, Results, I>,
  ): Workflow<Input, Parsed, ResultIn<M>, Out, Id, Results & Own<I, ResultIn<M>>>
  /** Adds a durable wait for a duration. */
  andSleep<I extends string>(
    config: AndSleepConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  /** Adds a durable wait until an instant. */
  andSleepUntil<I extends string>(
    config: AndSleepUntilConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  /** Adds a durable wait for an event. */
  andWaitForEvent<I extends string, S extends Schema = Schema, E extends OnEventTimeout = 'fail'>(
    config: AndWaitForEventConfig<Parsed, Data, S, E, Results, I>,
  ): Workflow<Input, Parsed, EventData<S, E>, Out, Id, Results & Own<I, EventData<S, E>>>
  /** Adds a function whose return value is ignored. */
  andTap<I extends string>(
    config: AndTapConfig<Parsed, Data, Results, I>,
  ): Workflow<Input, Parsed, Data, Out, Id, Results & Own<I, Data>>
  /** Adds a step that calls an agent. */
  andAgent<
    S extends AnswerSchema<Parsed, Data, Results>,
    I extends string,
    R extends JsonResult<R> | NoMap = NoMap,
  >(
    config: AndAgentConfig<Parsed, Data, R, S, Results, I> & JsonAnswer<SchemaIn<S>>,
  ): Workflow<
    Input,
    Parsed,
    AgentStepResult<SchemaIn<S>, R>,
    Out,
    Id,
    Results & Own<I, AgentStepResult<SchemaIn<S>, R>>
  >
  /** Adds a step that runs another workflow. */
  andWorkflow<Needed, R, I extends string>(
    config: AndWorkflowConfig<Parsed, Data, Needed, R, Results, I> &
      ChildInput<Parsed, Data, Needed, Results>,
  ): Workflow<Input, Parsed, R, Out, Id, Results & Own<I, R>>
  /** Appends a step that was made by `andThen()` or another step function. */
  and<R, A>(step: Step<Parsed, Data, R, Results, A>): Workflow<Input, Parsed, R, Out, Id, Results & A>
}
