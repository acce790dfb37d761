import type { ScheduledJob } from './dispatcher.ts'

/** Which events a step waits for: those with this name and this key, or with no key. */
export interface EventTopic {
  readonly name: string
  readonly key: string | null
}

/** An event that was sent from outside of the executions that wait for it. */
export interface SentEventRow extends EventTopic {
  /** Unique for all senders. */
  readonly id: string
  /** JSON text. */
  readonly data: string
  readonly at: number
  /** Whom the access rules apply to, as JSON; null for senders that they don't apply to. */
  readonly sender: string | null
  /** JSON array of why it did not start workflows that wait for its name: `{ workflowId, reason }`; null for none. */
  readonly misfits: string | null
}

/** The events of a topic have ascending numbers in the order in which they were stored. */
export interface NumberedEvent extends SentEventRow {
  readonly number: number
}

/** An event with an id. `isNew`: it was stored now. */
export interface StoredEvent {
  readonly event: NumberedEvent
  readonly isNew: boolean
}

/** A step of an execution that waits for an event. */
export interface EventWait extends EventTopic {
  /** The path of the step. */
  readonly path: string
  /** When it began to wait. */
  readonly since: number
}

/** Waits of an execution that begin and end with a change of it. */
export interface WaitChange {
  readonly add: readonly EventWait[]
  /** Paths of steps. */
  readonly drop: readonly string[]
  /** Ids of events that its steps have taken. */
  readonly take: readonly string[]
}

/** An event, with the executions that took it. */
export interface TakenEvent extends NumberedEvent {
  /** Ids of executions, in their order, at most as many as was asked for. */
  readonly takenBy: readonly string[]
}

/** A wait, with the facts of its execution that decide who may end it. */
export interface WaitingStep {
  readonly executionId: string
  readonly workflowId: string
  /** The key of the user to whom the execution belongs. */
  readonly owner: string | null
  readonly path: string
  /** When it began to wait. */
  readonly since: number
}

export interface EventStore {
  /** Stores an event and its jobs, unless its id is taken. Returns the stored event with this id. */
  insert(event: SentEventRow, jobs: readonly ScheduledJob[]): Promise<StoredEvent>
  get(id: string): Promise<NumberedEvent | undefined>
  /** The steps that wait for events of a topic, in the order of the ids of their executions. */
  waiting(topic: EventTopic): Promise<readonly WaitingStep[]>
  /** Events of a topic that came at a time or later, in the order of their numbers. */
  list(topic: EventTopic, range: SentEventRange): Promise<readonly NumberedEvent[]>
  /** The newest events, newest first, each with at most `takers` executions. */
  newest(limit: number, takers: number): Promise<readonly TakenEvent[]>
  /**
   * Deletes up to `limit` events that are older than `maxAgeMs`, unless a step waits that had begun to wait by then.
   * Returns the number of deleted ones.
   */
  prune(rule: { readonly now: number; readonly maxAgeMs: number }, limit: number): Promise<number>
}

export interface SentEventRange {
  readonly since: number
  /** Only those with a higher number. */
  readonly after: number
  readonly limit: number
  /** Ids of events to leave out. */
  readonly except: readonly string[]
}
