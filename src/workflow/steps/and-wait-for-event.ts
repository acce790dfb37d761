import { requireObject } from '../../lib/require-object.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { callersProblem } from '../../contract/access/callers.ts'
import type { Callers } from '../../contract/access/callers.ts'
import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'
import type { Duration } from '../../lib/duration.ts'
import { ID_RULE, isId } from '../../lib/ids.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import { isSchema } from '../../lib/schema/schema.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { defineStep, functionProblem } from '../step.ts'
import type { Step } from '../step.ts'
import type { ContextOf, StepContext } from '../step-context.ts'
import { nameOfEvent } from '../../step/define-event.ts'
import type { EventDefinition } from '../../step/define-event.ts'
import type { EventData, OnEventTimeout, Own } from '../../step/step-result.ts'
import { STEP_OPTIONS } from '../step-options.ts'
import type { StepOptions } from '../step-options.ts'

export interface AndWaitForEventConfig<
  Input,
  Data,
  S extends Schema = Schema,
  OnTimeout extends OnEventTimeout = OnEventTimeout,
  Results = unknown,
  Id extends string = string,
> extends StepOptions<Id> {
  /** The event: its name, of letters, digits, `.`, `_`, `:` and `-`, or what `defineEvent` has made. */
  readonly event: string | EventDefinition<S>
  /** Returns the key that the event must have. Called once. Default: the step takes only events without a key. */
  readonly key?: (context: ContextOf<Input, Data, Results>) => Awaitable<string>
  /** The schema of the event's data. Other data is refused. Default: that of the event. */
  readonly schema?: S
  /**
   * Whose events it takes, and who can resume it: `users`, who may resume the execution; `operators` (console key or
   * development bypass); or only `code` (`sendEvent`). Default `operators`.
   */
  readonly from?: Callers
  /** How long it waits: `'7d'`, `'10m'` or milliseconds. Default: without a limit. */
  readonly timeout?: Duration
  /** `continue`: the result is `{ timedOut: true }` when the time is over. Default `fail`: the step fails then. */
  readonly onTimeout?: OnTimeout
}

const OPTIONS = {
  ...STEP_OPTIONS,
  event: true,
  key: true,
  schema: true,
  from: true,
  timeout: true,
  onTimeout: true,
} satisfies Record<keyof AndWaitForEventConfig<unknown, unknown>, true>

/**
 * Declares a step that waits for an event from outside. The execution is suspended until the event is sent: by
 * `POST /events`, `sendEvent()` or `agentserver send-event`. The result is the event's data. With an auth provider, users
 * can send it if `from` is `users`.
 *
 * @example
 * andWaitForEvent({ id: 'paid', event: 'payment', key: ({ data }) => data.orderId, timeout: '7d' })
 */
export function andWaitForEvent<
  Input,
  Data,
  S extends Schema = Schema,
  OnTimeout extends OnEventTimeout = 'fail',
  Results = unknown,
  Id extends string = string,
>(
  config: AndWaitForEventConfig<Input, Data, S, OnTimeout, Results, Id>,
): Step<Input, Data, EventData<S, OnTimeout>, Results, Own<Id, EventData<S, OnTimeout>>> {
  requireObject('andWaitForEvent', 'config', config)
  const { key, from, timeout, onTimeout = 'fail' } = config
  const event = nameOfEvent(config.event)
  const { schema = typeof config.event === 'object' ? config.event.schema : undefined } = config
  const chooseKey = key as ((context: StepContext) => unknown) | undefined
  return defineStep('andWaitForEvent', isSchema(schema) ? { ...config, resumeSchema: schema } : config, {
    event,
    openTo: from ?? 'operators',
    problems: [
      ...misspelledOptions(config, OPTIONS),
      typeof event === 'string' && isId(event) ? undefined : `event must be ${ID_RULE}`,
      key === undefined ? undefined : functionProblem('key', key),
      schema === undefined || isSchema(schema)
        ? undefined
        : 'schema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
      callersProblem('from', from),
      timeout === undefined || parseDuration(timeout) !== undefined
        ? undefined
        : `timeout must be ${DURATION_RULE}`,
      onTimeout === 'fail' || onTimeout === 'continue' ? undefined : `onTimeout must be 'continue' or 'fail'`,
    ],
    run: (runtime) =>
      runtime.waitForEvent({
        event,
        key:
          chooseKey &&
          (async (context) => {
            const chosen = await chooseKey(context)
            if (typeof chosen !== 'string') throw new TypeError('the result of key must be a string')
            return chosen
          }),
        timeout,
        onTimeout,
      }),
  })
}
