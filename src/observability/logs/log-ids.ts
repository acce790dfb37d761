import { IDS_PER_MS } from '../../store/log-store.ts'

/** Increasing ids of log records: the time in milliseconds, then a counter within the millisecond. */
export class LogIds {
  #last = 0

  next(now: number): number {
    this.#last = Math.max(this.#last + 1, Math.trunc(now) * IDS_PER_MS)
    return this.#last
  }

  /** Makes all further ids greater than this one, even when the clock was set back. */
  startAfter(id: number): void {
    this.#last = Math.max(this.#last, id)
  }
}
