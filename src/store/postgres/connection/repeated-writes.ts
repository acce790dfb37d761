import { delay } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'

/** How long writes wait for a database that can't be reached, before they reject. */
const MAX_OUTAGE_MS = 60_000
/** Between two attempts in an outage. */
const MIN_DELAY_MS = 20
const MAX_DELAY_MS = 500

const MAX_CONFLICTS = 10
/** SQLSTATE of transactions that are to be repeated: serialization failure, deadlock, and an id that was inserted meanwhile. */
const CONFLICTS = new Set(['40001', '40P01', '23505'])

/** Writes that wait for a database that can't be reached, and are repeated after conflicts. */
export class RepeatedWrites {
  readonly #closing: AbortSignal
  /** When the database could not be reached for the first and for the last time, while it can't. */
  #outage: { readonly since: number; readonly seenAt: number } | undefined

  /** Writes wait no more when `closing` aborts. */
  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  /** `write` gets the number of the attempt, from 1: an earlier one may have been stored, and its answer lost. */
  async run<Result>(write: (attempt: number) => Promise<Result>): Promise<Result> {
    const closing = this.#closing
    let pause = MIN_DELAY_MS
    for (let attempt = 1, conflicts = 0; ; attempt++) {
      try {
        const result = await write(attempt)
        this.#outage = undefined
        return result
      } catch (error) {
        if (isConflict(error) && ++conflicts <= MAX_CONFLICTS) continue
        if (!isOutage(error) || closing.aborted || this.#lastsTooLong()) throw error
      }
      await delay(pause, closing).catch(() => undefined)
      pause = Math.min(2 * pause, MAX_DELAY_MS)
    }
  }

  /** All writes of an outage share its time: after it, those that come one after the other don't wait again. */
  #lastsTooLong(): boolean {
    const now = performance.now()
    const known = this.#outage
    const since = known && now - known.seenAt <= MAX_OUTAGE_MS ? known.since : now
    this.#outage = { since, seenAt: now }
    return now - since > MAX_OUTAGE_MS
  }
}

function isConflict(error: unknown): boolean {
  return CONFLICTS.has((error as { code?: string }).code ?? '')
}

function isOutage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}
