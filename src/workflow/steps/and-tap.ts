import { requireObject } from '../../lib/require-object.ts'
import type { StepContext } from '../step-context.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions, TaskOptions } from '../step-options.ts'

export interface AndTapConfig<Input, Data>
  extends StepOptions, Pick<TaskOptions, 'retries' | 'timeoutMs' | 'suspendTimeout'> {
  readonly execute: (context: StepContext<Data, Input>) => unknown
}

/**
 * Declares a step for a side effect. Its result is its input. A failure is recorded, and the workflow continues.
 *
 * @example
 * andTap({ id: 'notify', execute: ({ data }) => sendMail(data.email) })
 */
export function andTap<Input, Data>(config: AndTapConfig<Input, Data>): Step<Input, Data, Data> {
  requireObject('andTap', 'config', config)
  const execute = config.execute as (context: StepContext) => unknown
  return defineStep('andTap', config, {
    problems: [functionProblem('execute', execute)],
    run: (runtime) => runtime.tap(execute),
  })
}
