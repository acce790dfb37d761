import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import type { Compensate } from '../../step/compensation.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'
import type { TypedWorkflow, WorkflowDefinition } from '../definition.ts'

export interface AndWorkflowConfig<
  Input,
  Data,
  Needed,
  Result,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Workflow that is started as a child. */
  readonly workflow: TypedWorkflow<Needed, Result>
  /** Returns the child's input. Default: the data of this step. Required when the data does not fit. */
  readonly input?: NeedsInput<Input, Data, Needed, Results>['input']
  /** Undoes the child when the execution fails, exceeds its time or is cancelled after the child has completed. */
  readonly compensate?: Compensate<NoInfer<Result>>
}

/** Shown by the compiler when the data of the step is not a valid input of the child and `input` is missing. */
interface NeedsInput<Input, Data, Needed, Results> {
  /** Input of the workflow. */
  readonly input: (context: ContextOf<Input, Data, Results>) => Needed | Promise<Needed>
}

/** Requires the option `input` when the data of the step is not a valid input of the child. */
export type ChildInput<Input, Data, Needed, Results = unknown> = [Data] extends [Loose<Needed>]
  ? unknown
  : NeedsInput<Input, Data, Needed, Results>

/** A child without an input schema, or with that of an empty object, accepts any object: also an interface. */
type Loose<Needed> = [Needed] extends [Record<string, never>]
  ? object
  : Record<string, unknown> extends Needed
    ? object | Needed
    : Needed

const OPTIONS = {
  ...STEP_OPTIONS,
  workflow: true,
  input: true,
  compensate: true,
} satisfies Record<keyof AndWorkflowConfig<unknown, unknown, unknown, unknown>, true>

/**
 * Declares a step that runs another workflow as a child execution and waits for its result. While the child is
 * suspended, this workflow is suspended too.
 *
 * @example
 * andWorkflow({ id: 'pay', workflow: payment, input: ({ data }) => ({ amount: data.total }) })
 */
export function andWorkflow<Input, Data, Needed, Result, Results = unknown, Id extends string = string>(
  config: AndWorkflowConfig<Input, Data, Needed, Result, Results, Id> &
    ChildInput<Input, Data, Needed, Results>,
): Step<Input, Data, Result, Results, Own<Id, Result>> {
  requireObject('andWorkflow', 'config', config)
  const workflow = config.workflow as WorkflowDefinition | undefined
  const input = (config.input ?? ((context) => context.data)) as (context: StepContext) => unknown
  return defineStep('andWorkflow', config, {
    workflow,
    compensate: config.compensate,
    problems: [
      ...misspelledOptions(config, OPTIONS),
      functionProblem('input', input),
      workflow?.steps === undefined ? 'workflow must be made by createWorkflow()' : undefined,
    ],
    run: (runtime) => runtime.child(workflow as WorkflowDefinition, input),
  })
}
