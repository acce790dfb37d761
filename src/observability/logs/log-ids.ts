import { randomInt } from 'node:crypto'
import { IDS_PER_MS } from '../../store/log-store.ts'

/**
 * Increasing ids of log records: the time in milliseconds, then a counter within the millisecond. The counter starts at a
 * random number, so that processes which share a database seldom choose the same ids.
 */
export class LogIds {
  readonly #start = randomInt(IDS_PER_MS / 2)
  #last = 0

  next(now: number): number {
    this.#last = Math.max(this.#last + 1, Math.trunc(now) * IDS_PER_MS + this.#start)
    return this.#last
  }

  /** Makes all further ids greater than this one, even when the clock was set back. */
  startAfter(id: number): void {
    this.#last = Math.max(this.#last, id)
  }
}
