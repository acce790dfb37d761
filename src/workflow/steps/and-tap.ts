import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import { defineStep, functionProblem, waitsOf } from '../step.ts'
import type { Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions, TaskOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'

export interface AndTapConfig<Input, Data, Results = unknown, Id extends string = string>
  extends StepOptions<Id>, Pick<TaskOptions, 'retries' | 'timeoutMs' | 'suspendTimeout'> {
  /** Called with the data; its return value is ignored. */
  readonly execute: (context: ContextOf<Input, Data, Results>) => unknown
}

const OPTIONS = {
  ...STEP_OPTIONS,
  retries: true,
  timeoutMs: true,
  suspendTimeout: true,
  execute: true,
} satisfies Record<keyof AndTapConfig<unknown, unknown>, true>

/**
 * Declares a step for a side effect. Its result is its input. A failure is recorded, and the workflow continues.
 *
 * @example
 * andTap({ id: 'notify', execute: ({ data }) => sendMail(data.email) })
 */
export function andTap<Input, Data, Results = unknown, Id extends string = string>(
  config: AndTapConfig<Input, Data, Results, Id>,
): Step<Input, Data, Data, Results, Own<Id, Data>> {
  requireObject('andTap', 'config', config)
  const execute = config.execute as (context: StepContext) => unknown
  return defineStep('andTap', config, {
    ...waitsOf(execute, ['step']),
    problems: [...misspelledOptions(config, OPTIONS), functionProblem('execute', execute)],
    run: (runtime) => runtime.tap(execute),
  })
}
