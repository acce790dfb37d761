import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { callersProblem } from '../../contract/access/callers.ts'
import type { Callers } from '../../contract/access/callers.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'
import type { Duration } from '../../lib/duration.ts'
import { defineStep } from '../step.ts'
import type { Step } from '../step.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions } from '../step-options.ts'
import type { Own } from '../../step/step-result.ts'

export interface AndSleepConfig<
  Input,
  Data,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** How long it waits: `'10m'`, `'7d'`, milliseconds, or a function that returns one. Called once. */
  readonly for: Duration | ((context: ContextOf<Input, Data, Results>) => Awaitable<Duration>)
  /** Who can wake it early, by a resume: `users` who may resume the execution, `operators`, or only `code`. Default `operators`. */
  readonly wakeableBy?: Callers
}

const OPTIONS = {
  ...STEP_OPTIONS,
  for: true,
  wakeableBy: true,
} satisfies Record<keyof AndSleepConfig<unknown, unknown>, true>

/**
 * Declares a step that waits. Up to five seconds it waits in the process; longer, the execution is suspended, takes no
 * memory, and wakes by itself, also after a restart. A resume by `wakeableBy` wakes it early. The result is the data unchanged.
 *
 * @example
 * andSleep({ id: 'cool-down', for: '10m' })
 */
export function andSleep<Input, Data, Results = unknown, Id extends string = string>(
  config: AndSleepConfig<Input, Data, Results, Id>,
): Step<Input, Data, Data, Results, Own<Id, Data>> {
  requireObject('andSleep', 'config', config)
  const chosen = config.for as Duration | ((context: StepContext) => unknown)
  const isValid = typeof chosen === 'function' || parseDuration(chosen) !== undefined
  return defineStep('andSleep', config, {
    openTo: config.wakeableBy ?? 'operators',
    problems: [
      ...misspelledOptions(config, OPTIONS),
      isValid ? undefined : `for must be ${DURATION_RULE}, or a function`,
      callersProblem('wakeableBy', config.wakeableBy),
    ],
    run: (runtime) =>
      runtime.sleep(async (context, now) => {
        const ms = parseDuration(typeof chosen === 'function' ? await chosen(context) : chosen)
        if (ms === undefined) throw new TypeError(`the result of for must be ${DURATION_RULE}`)
        return now + ms
      }),
  })
}
