import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { defineStep } from '../step.ts'
import type { AllAdded, AnyResult, Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import { stepsProblem } from './and-all.ts'
import { nestedSteps } from '../group.ts'
import type { AndRaceConfig } from '../workflow.ts'
import type { Optional, Own } from '../../step/step-result.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  steps: true,
} satisfies Record<keyof AndRaceConfig<unknown, unknown, readonly unknown[]>, true>

/**
 * Declares a step that runs steps in parallel with the same data. The result is that of the first step to complete;
 * the signal of the others aborts. Failed steps are ignored unless all fail.
 *
 * @example
 * andRace({ id: 'quote', steps: [askFirstSupplier, askSecondSupplier] })
 */
export function andRace<
  Input,
  Data,
  List extends readonly unknown[] | [],
  Results = unknown,
  Id extends string = string,
>(
  config: AndRaceConfig<Input, Data, List, Results, Id>,
): Step<Input, Data, AnyResult<List>, Results, Own<Id, AnyResult<List>> & Optional<AllAdded<List>, Results>> {
  requireObject('andRace', 'config', config)
  const steps = nestedSteps(config.id, config.steps)
  return defineStep('andRace', config, {
    steps,
    problems: [...misspelledOptions(config, OPTIONS), stepsProblem(config.steps)],
    run: (runtime) => runtime.group(() => runtime.race(steps, runtime.data)),
  })
}
