import { Listeners } from '../../services/listeners.ts'

/** Smaller differences are those of slow responses and of the resolution of the `Date` header. */
const TOLERANCE_MS = 5000

/** The clock of the server, by which all shown times are: that of the browser's computer may be hours off. */
class ServerClock {
  readonly #listeners = new Listeners()
  #offset = 0

  readonly subscribe = this.#listeners.add

  /** Milliseconds by which the server is ahead of the browser; 0 when they differ by less than some seconds. */
  readonly offset = (): number => this.#offset

  /** Milliseconds since the epoch, by the clock of the server. */
  readonly now = (): number => Date.now() + this.#offset

  /** Takes the time of the `Date` header of a response that has just been received. */
  set(date: string | null): void {
    const time = Date.parse(date ?? '')
    if (Number.isNaN(time) || Math.abs(time - this.now()) <= TOLERANCE_MS) return
    const offset = time - Date.now()
    this.#offset = Math.abs(offset) <= TOLERANCE_MS ? 0 : offset
    this.#listeners.notify()
  }
}

export const serverClock = new ServerClock()
