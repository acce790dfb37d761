import { IDS_PER_MS } from '../../store/log-store.ts'

/** Ids that grow: they begin with their millisecond, and count on within it. */
export class LogIds {
  #last = 0

  next(now: number): number {
    this.#last = Math.max(this.#last + 1, Math.trunc(now) * IDS_PER_MS)
    return this.#last
  }

  /** Goes on behind an id, also where the clock was put back. */
  goOnFrom(id: number): void {
    this.#last = Math.max(this.#last, id)
  }
}
