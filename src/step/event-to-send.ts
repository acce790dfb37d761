import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema/schema.ts'
import type { EventDefinition } from './define-event.ts'

/** An event that code sends. */
export interface EventToSend {
  /** Letters, digits, `.`, `_`, `:` and `-`. */
  readonly name: string
  /** Only steps that wait for the event with this key take it; without a key, only those that wait for none. */
  readonly key?: string | undefined
  /** A JSON value. Default: null. */
  readonly data?: unknown
  /** An event with the id of an earlier one of the same sender counts once. Default: a new id. */
  readonly id?: string | undefined
  /** An event that `defineEvent` has made is sent with its data as the next argument. */
  readonly schema?: never
}

/** What an event that was made by `defineEvent` is sent with, besides its data. */
export type SendEventOptions = Pick<EventToSend, 'key' | 'id'>

/**
 * A declared event as it is sent: with the data as it was given, as whoever receives it parses it.
 *
 * @throws AppError `invalid_input` when the data does not match its schema.
 */
export async function declaredEvent(
  { name, schema }: EventDefinition,
  data: unknown,
  options: SendEventOptions = {},
): Promise<EventToSend> {
  const checked = await compileSchema(schema).validate(data)
  if (!checked.ok)
    throw new AppError(
      'invalid_input',
      `The data of the event "${name}" does not match its schema: ${formatIssues(checked.issues, 'data')}`,
    )
  return { ...options, name, data }
}

/** Whether an event was made by `defineEvent`. */
export function isDeclared(event: EventToSend | EventDefinition): event is EventDefinition {
  // the server says what is wrong with what is no event
  return typeof event === 'object' && event !== null && 'schema' in event
}
