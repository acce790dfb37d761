import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import type { IfJson, JsonResult } from '../../lib/json/json-result.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../../lib/schema/schema.ts'
import type { Compensate } from '../../step/compensation.ts'
import type { StepContext } from '../step-context.ts'
import type { Own, ResumeData, StepResult } from '../../step/step-result.ts'
import { defineStep, functionProblem, waitsOf } from '../step.ts'
import type { Step } from '../step.ts'
import { TASK_OPTIONS } from '../step-options.ts'
import type { TaskOptions } from '../step-options.ts'

/** The input of `execute`: the output of the step's own input schema, otherwise its data. */
type StepData<S extends Schema, Data> = Schema extends S ? Data : InferOutput<S>

/** The data that the step accepts: a step with an input schema validates any. */
type Accepts<S extends Schema, Data> = Schema extends S ? Data : unknown

/** With an output schema the function returns the schema's input; a condition on the function keeps literal types. */
type Execute<Context, Output extends Schema, Result> = [Output] extends [StandardSchema]
  ? (context: Context) => Awaitable<Accepted<Output>>
  : (context: Context) => Awaitable<Result>

type Accepted<Output extends Schema> = IfJson<InferOutput<Output>, InferInput<Output>>

export interface AndThenConfig<
  Input,
  Data,
  Result,
  DataSchema extends Schema,
  OutputSchema extends Schema,
  SuspendSchema extends Schema,
  ResumeSchema extends Schema,
  Results = unknown,
  Id extends string = string,
> extends TaskOptions<Id> {
  /** Schema of the data of the step. */
  readonly inputSchema?: DataSchema
  /** Schema of the output of the step. */
  readonly outputSchema?: OutputSchema
  /** Schema of the data that `suspend` records. */
  readonly suspendSchema?: SuspendSchema
  /** Schema of the data that a resume passes. */
  readonly resumeSchema?: ResumeSchema
  /** Computes the output, which must be JSON. */
  readonly execute: Execute<
    StepContext<
      StepData<DataSchema, Data>,
      Input,
      InferOutput<SuspendSchema>,
      ResumeData<ResumeSchema>,
      Results
    >,
    OutputSchema,
    Result
  >
  /** Undoes the step when the execution fails, exceeds its time or is cancelled after it has completed. */
  readonly compensate?: Compensate<StepResult<OutputSchema, NoInfer<Result>>>
}

const OPTIONS = {
  ...TASK_OPTIONS,
  execute: true,
  compensate: true,
} satisfies Record<keyof AndThenConfig<unknown, unknown, unknown, Schema, Schema, Schema, Schema>, true>

/**
 * Declares a step that runs a function. Its return value is the `data` of the next step. It must be JSON; a `Date`, a
 * `Map` or an object with methods does not compile. With `outputSchema` it must be the schema's input.
 *
 * @example
 * andThen({ id: 'charge', retries: 3, timeoutMs: 5000, execute: ({ data, signal }) => charge(data, { signal }) })
 */
export function andThen<
  Input,
  Data,
  Result extends JsonResult<Result>,
  DataSchema extends Schema = Schema,
  OutputSchema extends Schema = Schema,
  SuspendSchema extends Schema = Schema,
  ResumeSchema extends Schema = Schema,
  Results = unknown,
  Id extends string = string,
>(
  config: AndThenConfig<
    Input,
    Data,
    Result,
    DataSchema,
    OutputSchema,
    SuspendSchema,
    ResumeSchema,
    Results,
    Id
  >,
): Step<
  Input,
  Accepts<DataSchema, Data>,
  StepResult<OutputSchema, Result>,
  Results,
  Own<Id, StepResult<OutputSchema, Result>>
> {
  requireObject('andThen', 'config', config)
  const execute = config.execute as (context: StepContext) => unknown
  return defineStep('andThen', config, {
    compensate: config.compensate,
    ...waitsOf(execute, ['suspend', 'step']),
    problems: [...misspelledOptions(config, OPTIONS), functionProblem('execute', execute)],
    run: (runtime) => runtime.invoke(execute),
  })
}
