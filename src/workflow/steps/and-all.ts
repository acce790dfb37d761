import { requireObject } from '../../lib/require-object.ts'
import { defineStep } from '../step.ts'
import type { AllAdded, AllResults, Step, StepThatMakes } from '../step.ts'
import type { StepDefinition } from '../definition.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../step-result.ts'

export interface AndAllConfig<
  Input,
  Data,
  List extends readonly unknown[],
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  readonly steps: { readonly [K in keyof List]: StepThatMakes<Input, Data, Results, List[K]> }
}

/**
 * Declares a step that runs steps in parallel with the same data. The result is the array of their results, in order.
 * When a step fails, the others are aborted and the step fails.
 *
 * @example
 * andAll({ id: 'checks', steps: [checkStock, checkCredit] })
 */
export function andAll<
  Input,
  Data,
  List extends readonly unknown[] | [],
  Results = unknown,
  Id extends string = string,
>(
  config: AndAllConfig<Input, Data, List, Results, Id>,
): Step<Input, Data, AllResults<List>, Results, Own<Id, AllResults<List>> & AllAdded<List>> {
  requireObject('andAll', 'config', config)
  const steps = config.steps as readonly StepDefinition[]
  return defineStep('andAll', config, {
    steps: Array.isArray(steps) ? steps : [],
    problems: [stepsProblem(steps)],
    run: (runtime) => runtime.group(async () => `[${(await runtime.all(steps, runtime.data)).join(',')}]`),
  })
}

/** A problem text when `steps` is not a non-empty array. */
export function stepsProblem(steps: unknown): string | undefined {
  return Array.isArray(steps) && steps.length > 0
    ? undefined
    : 'steps must be an array with at least one step'
}
