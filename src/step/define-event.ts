import { ID_RULE, isId } from '../lib/ids.ts'
import { requireObject } from '../lib/require-object.ts'
import { isSchema } from '../lib/schema/schema.ts'
import type { InferInput, Schema } from '../lib/schema/schema.ts'

/** An event with a schema, which types its data wherever it is sent, waited for, or starts a workflow. */
export interface EventDefinition<S extends Schema = Schema> {
  /** Name of the event. */
  readonly name: string
  /** Schema of the event's data. */
  readonly schema: S
  readonly '~data'?: InferInput<S>
}

/** Options of `defineEvent`. */
export interface EventConfig<S extends Schema> {
  /** Letters, digits, `.`, `_`, `:` and `-`. */
  readonly name: string
  /** The schema of the event's data. */
  readonly schema: S
}

/**
 * Declares an event: its data is typed and validated in `sendEvent`, `waitForEvent`, `andWaitForEvent` and `on`. Events
 * without a declaration are named by a text.
 *
 * @throws TypeError when the name is no id, or the schema is none.
 *
 * @example
 * const paid = defineEvent({ name: 'payment', schema: z.object({ cents: z.number() }) })
 * await sendEvent(paid, { cents: 500 }, { key: 'A-1' })
 */
export function defineEvent<S extends Schema>(config: EventConfig<S>): EventDefinition<S> {
  requireObject('defineEvent', 'config', config)
  const { name, schema } = config
  if (typeof name !== 'string' || !isId(name)) throw new TypeError(`defineEvent(): name must be ${ID_RULE}`)
  if (!isSchema(schema))
    throw new TypeError(
      'defineEvent(): schema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
    )
  return Object.freeze({ name, schema })
}

/** The name of an event that is named by a text or by its declaration. */
export function nameOfEvent(event: string | Pick<EventDefinition, 'name'>): string {
  // declarations in JavaScript may have anything
  return typeof event === 'object' && event !== null ? event.name : event
}
