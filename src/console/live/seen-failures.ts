import { Listeners } from '../services/listeners.ts'
import { serverClock } from '../ui/time/use-now.ts'

/** A dismissed failure. */
interface SeenFailure {
  readonly id: string
  /** When it had occurred last, in milliseconds since the epoch. */
  readonly at: number
}

interface Seen {
  /** All failures up to this time are dismissed, in milliseconds since the epoch. */
  readonly until: number
  readonly single: readonly SeenFailure[]
}

const NAME = 'agentserver.seen-failures'
const DAY_MS = 86_400_000
const MAX_DISMISSED = 200
const NOTHING: Seen = { until: 0, single: [] }

/** The dismissed failures, kept in this browser. */
export class SeenFailures {
  readonly #listeners = new Listeners()
  #seen: Seen = read()

  readonly seen = (): Seen => this.#seen

  readonly subscribe = this.#listeners.add

  dismiss(id: string, at: number): void {
    this.#store({
      ...this.#seen,
      single: [{ id, at }, ...this.#seen.single.filter((one) => one.id !== id)].slice(0, MAX_DISMISSED),
    })
  }

  dismissAll(until: number): void {
    this.#store({ until, single: [] })
  }

  #store(seen: Seen): void {
    this.#seen = seen
    localStorage.setItem(NAME, JSON.stringify(seen))
    this.#listeners.notify()
  }
}

/** Whether a failure that occurred last at this time is recent, and was not dismissed since. */
export function isUnseen({ until, single }: Seen, id: string, at: number): boolean {
  return at > until && at > serverClock.now() - DAY_MS && !single.some((one) => one.id === id && one.at >= at)
}

function read(): Seen {
  try {
    return { ...NOTHING, ...(JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Seen>) }
  } catch {
    // not written by the console
    return NOTHING
  }
}
