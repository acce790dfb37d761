import { ID_RULE, isId } from '../lib/ids.ts'

/** An event that starts executions of a workflow, with its data as their input. */
export interface EventTrigger<Data> {
  /** The name of the event: letters, digits, `.`, `_`, `:` and `-`. */
  readonly event: string
  /**
   * The key that the event must have, or a function that returns it, of the data as the input schema parses it. Default: events
   * with any key, and without one.
   */
  readonly key?: string | ((event: { readonly data: Data }) => string)
  /** Chooses among the events with this key. */
  readonly filter?: (event: { readonly data: Data; readonly key: string | undefined }) => boolean
}

/** The events that a workflow reacts to. `Data` is its input. */
export interface EventTriggers<Data> {
  /**
   * The events that start an execution, with their data as its input. It belongs to the user who sent the event, whom
   * `startedBy` must admit. An event starts one execution of a workflow, however often it is sent.
   */
  readonly on?: readonly EventTrigger<Data>[]
}

/** The problems of a workflow's triggers. */
export function triggerProblems({ on }: EventTriggers<never>): string[] {
  if (on === undefined) return []
  if (!Array.isArray(on)) return ['on must be an array of events']
  return on.flatMap((trigger: unknown, index) => onProblems(`on[${index}]`, trigger))
}

function onProblems(name: string, trigger: unknown): string[] {
  if (typeof trigger !== 'object' || trigger === null) return [`${name} must be an object with event`]
  const { event, key, filter } = trigger as Readonly<Record<string, unknown>>
  return [
    ...(typeof event === 'string' && isId(event) ? [] : [`${name}.event must be ${ID_RULE}`]),
    ...(key === undefined || typeof key === 'string' || typeof key === 'function'
      ? []
      : [`${name}.key must be a string or a function`]),
    ...(filter === undefined || typeof filter === 'function' ? [] : [`${name}.filter must be a function`]),
  ]
}
