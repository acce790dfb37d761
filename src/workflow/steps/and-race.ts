import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { AllAdded, AnyResult, Step, StepThatMakes } from '../step.ts'
import { stepsProblem } from './and-all.ts'
import type { StepDefinition } from '../definition.ts'
import type { StepOptions } from '../step-options.ts'
import type { Optional, Own } from '../step-result.ts'

export interface AndRaceConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  readonly steps: { readonly [K in keyof List]: StepThatMakes<Input, Data, Results, List[K]> }
}

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
): Step<Input, Data, AnyResult<List>, Results, Own<Id, AnyResult<List>> & Optional<AllAdded<List>>> {
  requireObject('andRace', 'config', config)
  const steps = config.steps as readonly StepDefinition[]
  return defineStep('andRace', config, {
    steps: Array.isArray(steps) ? steps : [],
    problems: [stepsProblem(steps)],
    run: (runtime) => runtime.group(() => runtime.race(steps, runtime.data)),
  })
}
