import type { StepContext } from '../step-context.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions } from '../step-options.ts'
import type { TypedWorkflow, WorkflowDefinition } from '../definition.ts'

export interface AndWorkflowConfig<Input, Data, ChildInput, Result> extends StepOptions {
  readonly workflow: TypedWorkflow<ChildInput, Result>
  /** Returns the child's input. Default: the data of this step. */
  readonly input?: (context: StepContext<Data, Input>) => ChildInput | Promise<ChildInput>
}

/**
 * Declares a step that runs another workflow as a child execution and waits for its result. While the child is
 * suspended, this workflow is suspended too.
 *
 * @example
 * andWorkflow({ id: 'pay', workflow: payment, input: ({ data }) => ({ amount: data.total }) })
 */
export function andWorkflow<Input, Data, ChildInput, Result>(
  config: AndWorkflowConfig<Input, Data, ChildInput, Result>,
): Step<Input, Data, Result> {
  const workflow = config.workflow as WorkflowDefinition | undefined
  const input = (config.input ?? ((context) => context.data)) as (context: StepContext) => unknown
  return defineStep('andWorkflow', config, {
    workflow,
    problems: [
      functionProblem('input', input),
      workflow?.steps === undefined ? 'workflow must be made by createWorkflow()' : undefined,
    ],
    run: (runtime) => runtime.child(workflow as WorkflowDefinition, input),
  })
}
