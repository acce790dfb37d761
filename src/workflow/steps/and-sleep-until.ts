import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { callersProblem } from '../../contract/access/callers.ts'
import type { Callers } from '../../contract/access/callers.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'

export interface AndSleepUntilConfig<
  Input,
  Data,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** A time: a `Date`, a text in ISO 8601, or a function that returns one. Called once. */
  readonly until: Date | string | ((context: ContextOf<Input, Data, Results>) => Awaitable<Date | string>)
  /** Who can wake it early, by a resume: `users` who may resume the execution, `operators`, or only `code`. Default `operators`. */
  readonly wakeableBy?: Callers
}

const OPTIONS = {
  ...STEP_OPTIONS,
  until: true,
  wakeableBy: true,
} satisfies Record<keyof AndSleepUntilConfig<unknown, unknown>, true>

/**
 * Declares a step that waits until a time, like `andSleep`. It does not wait for a time that has passed.
 *
 * @example
 * andSleepUntil({ id: 'due', until: ({ data }) => data.dueDate })
 */
export function andSleepUntil<Input, Data, Results = unknown, Id extends string = string>(
  config: AndSleepUntilConfig<Input, Data, Results, Id>,
): Step<Input, Data, Data, Results, Own<Id, Data>> {
  requireObject('andSleepUntil', 'config', config)
  const chosen = config.until as Date | string | ((context: StepContext) => unknown)
  return defineStep('andSleepUntil', config, {
    openTo: config.wakeableBy ?? 'operators',
    problems: [
      ...misspelledOptions(config, OPTIONS),
      typeof chosen === 'function' || timeOf(chosen) !== undefined
        ? undefined
        : `until must be ${TIME_RULE}, or a function`,
      callersProblem('wakeableBy', config.wakeableBy),
    ],
    run: (runtime) =>
      runtime.sleep(async (context) => {
        const at = timeOf(typeof chosen === 'function' ? await chosen(context) : chosen)
        if (at === undefined) throw new TypeError(`the result of until must be ${TIME_RULE}`)
        return at
      }),
  })
}

const TIME_RULE = 'a Date, or a text in ISO 8601 such as "2030-01-31T09:00:00Z"'

/** Milliseconds since the epoch. */
function timeOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value)
  const at = value instanceof Date ? value.getTime() : isText ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
