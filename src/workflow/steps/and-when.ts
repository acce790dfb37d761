import { requireObject } from '../../lib/require-object.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import { SKIPPED } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { StepOptions } from '../step-options.ts'
import type { Optional, Own } from '../step-result.ts'

export interface AndWhenConfig<
  Input,
  Data,
  Result,
  Results = unknown,
  Id extends string = string,
  Added = object,
> extends StepOptions<Id> {
  readonly condition: (context: ContextOf<Input, Data, Results>) => boolean | Promise<boolean>
  readonly step: Step<Input, Data, Result, Results, Added>
}

/**
 * Declares a step that runs `step` if the condition is true. Otherwise the result is the unchanged data.
 *
 * @example
 * andWhen({ id: 'large', condition: ({ data }) => data.amount > 1000, step: approve })
 */
export function andWhen<Input, Data, Result, Added, Results = unknown, Id extends string = string>(
  config: AndWhenConfig<Input, Data, Result, Results, Id, Added>,
): Step<Input, Data, Data | Result, Results, Own<Id, Data | Result> & Optional<Added>> {
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
