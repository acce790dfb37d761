import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import { stepsProblem } from './and-all.ts'
import type { StepDefinition } from '../definition.ts'
import type { StepOptions } from '../step-options.ts'

export interface AndRaceConfig<Input, Data, Results extends readonly unknown[]> extends StepOptions {
  readonly steps: { readonly [K in keyof Results]: Step<Input, Data, Results[K]> }
}

/**
 * Declares a step that runs steps in parallel with the same data. The result is that of the first step to complete;
 * the signal of the others aborts. Failed steps are ignored unless all fail.
 *
 * @example
 * andRace({ id: 'quote', steps: [askFirstSupplier, askSecondSupplier] })
 */
export function andRace<Input, Data, Results extends readonly unknown[] | []>(
  config: AndRaceConfig<Input, Data, Results>,
): Step<Input, Data, Results[number]> {
  requireObject('andRace', 'config', config)
  const steps = config.steps as readonly StepDefinition[]
  return defineStep('andRace', config, {
    steps: Array.isArray(steps) ? steps : [],
    problems: [stepsProblem(steps)],
    run: (runtime) => runtime.group(() => runtime.race(steps, runtime.data)),
  })
}
