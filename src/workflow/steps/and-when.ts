import { requireObject } from '../../lib/require-object.ts'
import type { StepContext } from '../step-context.ts'
import { SKIPPED } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions } from '../step-options.ts'

export interface AndWhenConfig<Input, Data, Result> extends StepOptions {
  readonly condition: (context: StepContext<Data, Input>) => boolean | Promise<boolean>
  readonly step: Step<Input, Data, Result>
}

/**
 * Declares a step that runs `step` if the condition is true. Otherwise the result is the unchanged data.
 *
 * @example
 * andWhen({ id: 'large', condition: ({ data }) => data.amount > 1000, step: approve })
 */
export function andWhen<Input, Data, Result>(
  config: AndWhenConfig<Input, Data, Result>,
): Step<Input, Data, Data | Result> {
  requireObject('andWhen', 'config', config)
  const { step } = config
  const condition = config.condition as (context: StepContext) => unknown
  return defineStep('andWhen', config, {
    steps: [step],
    problems: [functionProblem('condition', condition)],
    run: (runtime) =>
      runtime.group(async () => {
        const chosen = runtime.hasStarted(step) || Boolean(await runtime.evaluate(condition))
        return chosen ? runtime.run(step, runtime.data) : SKIPPED
      }),
  })
}
