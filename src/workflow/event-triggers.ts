import { ID_RULE, isId } from '../lib/ids.ts'
import type { Schema } from '../lib/schema/schema.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import type { Duration } from '../lib/duration.ts'
import { nameOfEvent } from '../step/define-event.ts'
import type { EventDefinition } from '../step/define-event.ts'
import type { StartContext } from './limits.ts'

/** The maximum number of events that cancel the executions of a workflow. */
export const MAX_CANCEL_TRIGGERS = 10

/** What `defineEvent` has made, for data that a workflow accepts. */
interface AcceptedEvent<Accepted> {
  /** Name of the event. */
  readonly name: string
  /** Schema of the event's data. */
  readonly schema: Schema
  readonly '~data'?: Accepted
}

/** An event that starts executions of a workflow, with its data as their input. */
export interface EventTrigger<Data, Accepted = Data> {
  /** The event: its name, of letters, digits, `.`, `_`, `:` and `-`, or what `defineEvent` has made. */
  readonly event: string | AcceptedEvent<Accepted>
  /**
   * The key that the event must have, or a function that returns it, of the data as the input schema parses it. Default: events
   * with any key, and without one.
   */
  readonly key?:
    | string
    | ((event: {
        /** Data of the event. */
        readonly data: Data
      }) => string)
  /** Chooses among the events with this key. */
  readonly filter?: (event: {
    /** Data of the event. */
    readonly data: Data
    /** Key of the event; missing without one. */
    readonly key: string | undefined
  }) => boolean
}

/** An event that cancels the executions of a workflow. */
export interface CancelTrigger<Input> {
  /** The event: its name, of letters, digits, `.`, `_`, `:` and `-`, or what `defineEvent` has made. */
  readonly event: string | Pick<EventDefinition, 'name'>
  /** The key that the event must have, or a function that returns it when the execution starts. Default: only events without a key. */
  readonly key?: string | ((execution: StartContext<Input>) => string)
}

/** Which of several events in quick succession starts an execution: the last one. */
export interface Debounce<Input> {
  /** The time without a further event after which the execution starts, such as `10s` or `5m`. */
  readonly per: Duration
  /** Events with the same key follow each other. Default: all events of a user that start the workflow. */
  readonly key?: (execution: StartContext<Input>) => string
}

/** The events that a workflow reacts to. It accepts `Accepted`, and `Data` is its input. */
export interface EventTriggers<Data, Accepted = Data> {
  /**
   * The events that start an execution, with their data as its input. It belongs to the user who sent the event, whom
   * `startedBy` must admit. An event starts one execution of a workflow, however often it is sent.
   */
  readonly on?: readonly EventTrigger<Data, Accepted>[]
  /** The events that cancel its executions. Events from before an execution don't. */
  readonly cancelOn?: readonly CancelTrigger<Data>[]
  /** Of events of `on` in quick succession, the last one starts an execution. */
  readonly debounce?: Debounce<Data>
}

/** The problems of a workflow's triggers. */
export function triggerProblems({ on, cancelOn, debounce }: EventTriggers<never, unknown>): string[] {
  const isTooLong = Array.isArray(cancelOn) && cancelOn.length > MAX_CANCEL_TRIGGERS
  return [
    ...listProblems('on', on),
    ...listProblems('cancelOn', cancelOn),
    ...(isTooLong ? [`cancelOn can have ${MAX_CANCEL_TRIGGERS} events`] : []),
    ...(debounce === undefined ? [] : debounceProblems(debounce)),
    ...(debounce !== undefined && on === undefined ? ['debounce is of events: the workflow needs on'] : []),
  ]
}

function debounceProblems(debounce: unknown): string[] {
  if (typeof debounce !== 'object' || debounce === null) return ['debounce must be an object with per']
  const { per, key } = debounce as Readonly<Record<string, unknown>>
  return [
    ...((parseDuration(per) ?? 0) > 0 ? [] : [`debounce.per must be a duration above 0: ${DURATION_RULE}`]),
    ...(key === undefined || typeof key === 'function' ? [] : ['debounce.key must be a function']),
  ]
}

function listProblems(name: 'on' | 'cancelOn', triggers: unknown): string[] {
  if (triggers === undefined) return []
  if (!Array.isArray(triggers)) return [`${name} must be an array of events`]
  return triggers.flatMap((trigger: unknown, index) => problemsOf(`${name}[${index}]`, trigger))
}

function problemsOf(name: string, trigger: unknown): string[] {
  if (typeof trigger !== 'object' || trigger === null) return [`${name} must be an object with event`]
  const { event, key, filter } = trigger as Readonly<Record<string, unknown>>
  return [
    ...(isEvent(event) ? [] : [`${name}.event must be ${ID_RULE}`]),
    ...(key === undefined || typeof key === 'string' || typeof key === 'function'
      ? []
      : [`${name}.key must be a string or a function`]),
    ...(filter === undefined || typeof filter === 'function' ? [] : [`${name}.filter must be a function`]),
  ]
}

function isEvent(event: unknown): boolean {
  const name: unknown = nameOfEvent(event as string)
  return typeof name === 'string' && isId(name)
}
