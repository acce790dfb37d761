import type { InferOutput, Schema } from '../../lib/schema/schema.ts'
import { usesMember } from '../../lib/uses-member.ts'
import type { StepContext } from '../step-context.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { TaskOptions } from '../step-options.ts'

type SchemaOutput<S, Otherwise> = [S] extends [Schema] ? InferOutput<S> : Otherwise

export interface AndThenConfig<
  Input,
  Data,
  Result,
  DataSchema extends Schema | undefined = undefined,
  SuspendSchema extends Schema | undefined = undefined,
  ResumeSchema extends Schema | undefined = undefined,
> extends TaskOptions {
  readonly inputSchema?: DataSchema & Schema
  readonly suspendSchema?: SuspendSchema & Schema
  readonly resumeSchema?: ResumeSchema & Schema
  readonly execute: (
    context: StepContext<
      SchemaOutput<DataSchema, Data>,
      Input,
      SchemaOutput<SuspendSchema, unknown>,
      SchemaOutput<ResumeSchema, unknown>
    >,
  ) => Result | Promise<Result>
}

/**
 * Declares a step that runs a function. Its return value is the `data` of the next step.
 *
 * @example
 * andThen({ id: 'charge', retries: 3, timeoutMs: 5000, execute: ({ data, signal }) => charge(data, { signal }) })
 */
export function andThen<
  Input,
  Data,
  Result,
  DataSchema extends Schema | undefined = undefined,
  SuspendSchema extends Schema | undefined = undefined,
  ResumeSchema extends Schema | undefined = undefined,
>(
  config: AndThenConfig<Input, Data, Result, DataSchema, SuspendSchema, ResumeSchema>,
): Step<Input, Data, Result> {
  const execute = config.execute as (context: StepContext) => unknown
  return defineStep('andThen', config, {
    maySuspend: typeof execute === 'function' && usesMember(execute, 0, ['suspend']),
    problems: [functionProblem('execute', execute)],
    run: (runtime) => runtime.invoke(execute),
  })
}
