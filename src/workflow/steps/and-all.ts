import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { defineStep } from '../step.ts'
import type { AllAdded, AllResults, Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import { nestedSteps } from '../group.ts'
import type { AndAllConfig } from '../workflow.ts'
import type { Later, Own } from '../../step/step-result.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  steps: true,
} satisfies Record<keyof AndAllConfig<unknown, unknown, readonly unknown[]>, true>

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
): Step<Input, Data, AllResults<List>, Results, Own<Id, AllResults<List>> & Later<AllAdded<List>, Results>> {
  requireObject('andAll', 'config', config)
  const steps = nestedSteps(config.id, config.steps)
  return defineStep('andAll', config, {
    steps,
    problems: [...misspelledOptions(config, OPTIONS), stepsProblem(config.steps)],
    run: (runtime) => runtime.group(async () => `[${(await runtime.all(steps, runtime.data)).join(',')}]`),
  })
}

/** A problem text when `steps` is not a non-empty array. */
export function stepsProblem(steps: unknown): string | undefined {
  return Array.isArray(steps) && steps.length > 0
    ? undefined
    : 'steps must be an array with at least one step'
}
