import type { StepContext } from '../step-context.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions } from '../step-options.ts'
import type { TypedWorkflow, WorkflowDefinition } from '../definition.ts'

export interface AndWorkflowConfig<Input, Data, ChildInput, Result> extends StepOptions {
  readonly workflow: TypedWorkflow<ChildInput, Result>
  /** The child's input. Without it the child takes this step's data. */
  readonly input?: (context: StepContext<Data, Input>) => ChildInput | Promise<ChildInput>
}

/** Runs another workflow as an execution of its own and waits for its result. Its suspension suspends this one. */
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
