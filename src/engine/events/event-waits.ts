import type { EventTopic, EventWait, WaitChange } from '../../store/event-store.ts'
import type { StepRow } from '../../store/execution-store.ts'
import { cancelPath } from './cancel-waits.ts'
import { awaitsEvent } from '../record/step-rows.ts'

/** The stored waits of an execution: of its steps, and for the events that cancel it. They change with its record. */
export class EventWaits {
  /** Paths of the steps that wait. */
  readonly #paths = new Set<string>()
  /** By path; `undefined` drops the wait. */
  #staged = new Map<string, EventWait | undefined>()
  /** Ids of events, with those that are stored already. */
  readonly #taken = new Set<string>()
  #take: string[] = []

  /** The waits of a stored execution; `undefined` when no step of it waits. */
  static of(steps: readonly StepRow[], cancels: readonly string[]): EventWaits | undefined {
    const waiting = steps.filter((step) => awaitsEvent(step))
    if (waiting.length === 0 && cancels.length === 0) return undefined
    const waits = new EventWaits()
    for (const { path } of waiting) waits.#paths.add(path)
    for (const path of cancels) waits.#paths.add(path)
    return waits
  }

  /** The events that cancel a new execution. */
  static cancelling(topics: readonly EventTopic[], since: number, waits = new EventWaits()): EventWaits {
    for (const [index, topic] of topics.entries()) {
      const path = cancelPath(index)
      waits.#paths.add(path)
      waits.#staged.set(path, { ...topic, path, since })
    }
    return waits
  }

  /** Takes a step's change into account. */
  static with(step: StepRow, waits = new EventWaits()): EventWaits {
    const { path, event: name, eventKey: key, eventId, startedAt: since } = step
    if (eventId !== null) EventWaits.taking(eventId, waits)
    if (!awaitsEvent(step) || name === null) waits.#drop(path)
    else if (!waits.#paths.has(path)) {
      waits.#paths.add(path)
      waits.#staged.set(path, { path, name, key, since })
    }
    return waits
  }

  /** The execution takes an event. */
  static taking(eventId: string, waits = new EventWaits()): EventWaits {
    if (!waits.#taken.has(eventId)) {
      waits.#taken.add(eventId)
      waits.#take.push(eventId)
    }
    return waits
  }

  dropAll(): void {
    for (const path of this.#paths) this.#drop(path)
  }

  /** Returns the staged changes and clears them. */
  drain(): WaitChange | undefined {
    if (this.#staged.size === 0 && this.#take.length === 0) return undefined
    const staged = [...this.#staged]
    const take = this.#take
    this.#staged = new Map()
    this.#take = []
    return {
      add: staged.flatMap(([, wait]) => wait ?? []),
      drop: staged.flatMap(([path, wait]) => (wait ? [] : path)),
      take,
    }
  }

  #drop(path: string): void {
    if (this.#paths.delete(path)) this.#staged.set(path, undefined)
  }
}
