import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import { stepsProblem } from './and-all.ts'
import type { StepDefinition } from '../definition.ts'
import type { StepOptions } from '../step-options.ts'

export interface AndRaceConfig<Input, Data, Results extends readonly unknown[]> extends StepOptions {
  readonly steps: { readonly [K in keyof Results]: Step<Input, Data, Results[K]> }
}

/**
 * Runs the steps side by side on the same data; the first to complete gives the result and the others'
 * signal aborts. A step that fails is out of the race; the race fails when all have.
 */
export function andRace<Input, Data, Results extends readonly unknown[] | []>(
  config: AndRaceConfig<Input, Data, Results>,
): Step<Input, Data, Results[number]> {
  const steps = config.steps as readonly StepDefinition[]
  return defineStep('andRace', config, {
    steps: Array.isArray(steps) ? steps : [],
    problems: [stepsProblem(steps)],
    run: (runtime) => runtime.group(() => runtime.race(steps, runtime.data)),
  })
}
