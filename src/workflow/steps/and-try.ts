import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { nestedStep } from '../group.ts'
import { defineStep } from '../step.ts'
import type { AddedIn, ResultIn, Step } from '../step.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { Optional, Own } from '../../step/step-result.ts'
import type { AndTryConfig } from '../workflow.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  step: true,
  catch: true,
} satisfies Record<keyof AndTryConfig<unknown, unknown, unknown, unknown>, true>

/**
 * Declares a step that runs `step`, and when that has failed for good, `catch` with `{ error, data }`. The result is that
 * of the one that completed. A suspension in `step` is no failure, and a cancel is not caught.
 *
 * @example
 * andTry({
 *   id: 'pay',
 *   step: charge,
 *   catch: (chain) => chain.andThen({ id: 'decline', execute: ({ data }) => ({ declined: data.error.message }) }),
 * })
 */
export function andTry<Input, Data, Makes, Caught, Results = unknown, Id extends string = string>(
  config: AndTryConfig<Input, Data, Makes, Caught, Results, Id>,
): Step<
  Input,
  Data,
  ResultIn<Makes> | ResultIn<Caught>,
  Results,
  Own<Id, ResultIn<Makes> | ResultIn<Caught>> & Optional<AddedIn<Makes> & AddedIn<Caught>, Results>
> {
  requireObject('andTry', 'config', config)
  const step = nestedStep(config.id, config.step, 1)
  const caught = nestedStep(config.id, config.catch, 2)
  return defineStep('andTry', config, {
    steps: [step, caught],
    problems: misspelledOptions(config, OPTIONS),
    run: (runtime) =>
      runtime.group(async () => {
        const tried = await runtime.attempt(step, runtime.data)
        if ('output' in tried) return tried.output
        return runtime.run(caught, `{"error":${JSON.stringify(tried.error)},"data":${runtime.data}}`)
      }),
  })
}
