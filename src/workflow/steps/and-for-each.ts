import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import type { StepDefinition } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { ResultIn, Step } from '../step.ts'
import { nestedStep } from '../group.ts'
import type { AndForEachConfig, AndForEachOfData, ItemResults, OnItemError } from '../workflow.ts'
import type { StepContext } from '../step-context.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'
import { countProblem } from '../loop.ts'

const OPTIONS = {
  ...STEP_OPTIONS,
  step: true,
  items: true,
  concurrency: true,
  onError: true,
} satisfies Record<keyof AndForEachOfData<unknown, unknown, unknown, OnItemError>, true>

/**
 * Declares a step that runs `step` for each item of an array. The result is the array of the results, in order. Each item
 * is recorded by itself: after a crash only the items that had not finished run.
 *
 * @example
 * const price = andThen({ id: 'price', execute: ({ data }: { data: Line }) => priceOf(data) })
 * andForEach({ id: 'lines', items: ({ data }) => data.lines, step: price, concurrency: 4, onError: 'continue' })
 */
export function andForEach<
  Input,
  Item,
  Makes,
  OnError extends OnItemError = 'fail',
  Results = unknown,
  Id extends string = string,
>(
  config: AndForEachOfData<Input, Item, Makes, OnError, Results, Id>,
): Step<
  Input,
  readonly Item[],
  ItemResults<ResultIn<Makes>, OnError>,
  Results,
  Own<Id, ItemResults<ResultIn<Makes>, OnError>>
>
export function andForEach<
  Input,
  Data,
  Item,
  Makes,
  OnError extends OnItemError = 'fail',
  Results = unknown,
  Id extends string = string,
>(
  config: AndForEachConfig<Input, Data, Item, Makes, OnError, Results, Id>,
): Step<
  Input,
  Data,
  ItemResults<ResultIn<Makes>, OnError>,
  Results,
  Own<Id, ItemResults<ResultIn<Makes>, OnError>>
>
export function andForEach(config: AnyEach): StepDefinition {
  requireObject('andForEach', 'config', config)
  const { items, concurrency = 1, onError = 'fail' } = config
  const step = nestedStep(config.id, config.step)
  const choose = items as ((context: StepContext) => unknown) | undefined
  return defineStep('andForEach', config, {
    steps: [step],
    problems: [
      ...misspelledOptions(config, OPTIONS),
      choose === undefined ? undefined : functionProblem('items', choose),
      countProblem('concurrency', concurrency),
      onError === 'fail' || onError === 'continue' ? undefined : `onError must be 'fail' or 'continue'`,
    ],
    run: (runtime) =>
      runtime.group(async () => {
        const results = await runtime.each(step, await runtime.items(choose), { concurrency, onError })
        return `[${results.join(',')}]`
      }),
  })
}

interface AnyEach extends StepOptions {
  readonly step: unknown
  readonly items?: unknown
  readonly concurrency?: number
  readonly onError?: OnItemError
}
