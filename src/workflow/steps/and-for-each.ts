import { requireObject } from '../../lib/require-object.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import type { StepDefinition } from '../definition.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../step-result.ts'
import { countProblem } from '../loop.ts'

/** What an andForEach step does when an item fails. */
export type OnItemError = 'fail' | 'continue'

/** The result of a failed item with `onError: 'continue'`. */
export interface FailedItem {
  readonly error: { readonly message: string }
}

/** The items of a step whose data is an array. */
export type ItemOf<Data> = Data extends readonly (infer Item)[] ? Item : unknown

/** Requires the option `items` when the data of the step is not an array. */
export type ArrayOrItems<Data> = [Data] extends [readonly unknown[]] ? unknown : NeedsItems

/** Shown by the compiler when the data of the step is not an array and `items` is missing. */
interface NeedsItems {
  readonly items: () => readonly unknown[]
}

interface EachOptions<
  Input,
  Item,
  Result,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** Its `data` is the item, its context has the item's `index`. */
  readonly step: Step<Input, Item, Result, Results>
  /** The number of items that run at the same time. Default: 1. */
  readonly concurrency?: number
  /**
   * `fail`: when an item fails, the items that run are aborted and the step fails. `continue`: the result of a failed
   * item is `{ error: { message } }`. Default: `fail`.
   */
  readonly onError?: OnError
}

/** The items are the data of the step, which must be an array. */
export interface AndForEachOfData<
  Input,
  Item,
  Result,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends EachOptions<Input, Item, Result, OnError, Results, Id> {
  readonly items?: undefined
}

export interface AndForEachConfig<
  Input,
  Data,
  Item,
  Result,
  OnError extends OnItemError,
  Results = unknown,
  Id extends string = string,
> extends EachOptions<Input, Item, Result, OnError, Results, Id> {
  /** Returns the items. Called once. The step then declares the type of its item: `({ data }: { data: Line }) => …`. */
  readonly items: (context: ContextOf<Input, Data, Results>) => Awaitable<readonly Item[]>
}

/** The result of an andForEach step: the results of its items, in their order. */
export type ItemResults<Result, OnError extends OnItemError> = 'continue' extends OnError
  ? (Result | FailedItem)[]
  : Result[]

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
  Result,
  OnError extends OnItemError = 'fail',
  Results = unknown,
  Id extends string = string,
>(
  config: AndForEachOfData<Input, Item, Result, OnError, Results, Id>,
): Step<Input, readonly Item[], ItemResults<Result, OnError>, Results, Own<Id, ItemResults<Result, OnError>>>
export function andForEach<
  Input,
  Data,
  Item,
  Result,
  OnError extends OnItemError = 'fail',
  Results = unknown,
  Id extends string = string,
>(
  config: AndForEachConfig<Input, Data, Item, Result, OnError, Results, Id>,
): Step<Input, Data, ItemResults<Result, OnError>, Results, Own<Id, ItemResults<Result, OnError>>>
export function andForEach(
  config: EachOptions<unknown, unknown, unknown, OnItemError> & { readonly items?: unknown },
): StepDefinition {
  requireObject('andForEach', 'config', config)
  const { step, items, concurrency = 1, onError = 'fail' } = config
  const choose = items as ((context: StepContext) => unknown) | undefined
  return defineStep('andForEach', config, {
    steps: [step],
    problems: [
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
