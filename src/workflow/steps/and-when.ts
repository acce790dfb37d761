import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { StepContext } from '../step-context.ts'
import { SKIPPED } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { AddedIn, ResultIn, Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import { nestedStep } from '../group.ts'
import type { AndWhenConfig } from '../workflow.ts'
import type { Optional, Own } from '../../step/step-result.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  condition: true,
  step: true,
} satisfies Record<keyof AndWhenConfig<unknown, unknown, unknown>, true>

/**
 * Declares a step that runs `step` if the condition is true. Otherwise the result is the unchanged data.
 *
 * @example
 * andWhen({ id: 'large', condition: ({ data }) => data.amount > 1000, step: approve })
 */
export function andWhen<Input, Data, Makes, Results = unknown, Id extends string = string>(
  config: AndWhenConfig<Input, Data, Makes, Results, Id>,
): Step<
  Input,
  Data,
  Data | ResultIn<Makes>,
  Results,
  Own<Id, Data | ResultIn<Makes>> & Optional<AddedIn<Makes>, Results>
> {
  requireObject('andWhen', 'config', config)
  const step = nestedStep(config.id, config.step)
  const condition = config.condition as (context: StepContext) => unknown
  return defineStep('andWhen', config, {
    steps: [step],
    problems: [...misspelledOptions(config, OPTIONS), functionProblem('condition', condition)],
    run: (runtime) =>
      runtime.group(async () => {
        const chosen = runtime.hasStarted(step) || Boolean(await runtime.evaluate(condition))
        return chosen ? runtime.run(step, runtime.data) : SKIPPED
      }),
  })
}
