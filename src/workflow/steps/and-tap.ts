import type { StepContext } from '../step-context.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions, TaskOptions } from '../step-options.ts'

export interface AndTapConfig<Input, Data> extends StepOptions, Pick<TaskOptions, 'retries' | 'timeoutMs'> {
  readonly execute: (context: StepContext<Data, Input>) => unknown
}

/** A step for a side effect: its result is its input, and its failure is recorded without stopping the flow. */
export function andTap<Input, Data>(config: AndTapConfig<Input, Data>): Step<Input, Data, Data> {
  const execute = config.execute as (context: StepContext) => unknown
  return defineStep('andTap', config, {
    problems: [functionProblem('execute', execute)],
    run: (runtime) => runtime.tap(execute),
  })
}
