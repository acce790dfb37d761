import { DAY_MS, toIso } from './clock.ts'
import type { Logger } from 'pino'
import type { Clock } from './clock.ts'

export interface ClockCheckOptions {
  readonly clock: Clock
  /** Time of the newest record at the start; `undefined` when there is none. It is called once, when it is needed. */
  readonly newestRecordAt: () => number | undefined
  readonly logger: Logger
  /** Milliseconds since any start, which do not follow the system clock. Default: `performance.now`. */
  readonly uptime?: () => number
}

/**
 * Whether the system clock can be believed. It is in doubt when it is over a day ahead of the newest record, or jumps
 * ahead by over a day: a wrong clock makes all records look old. The doubt ends when the clock has not jumped for a day.
 */
export class ClockCheck {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #uptime: () => number
  readonly #newestRecordAt: ClockCheckOptions['newestRecordAt']
  readonly #start: { readonly at: number; readonly uptime: number }
  /** A time that the clock has shown, and the uptime at that moment. */
  #seen: { readonly at: number; readonly uptime: number } | undefined
  #doubtUntil = Number.NEGATIVE_INFINITY

  constructor({ clock, newestRecordAt, logger, uptime = () => performance.now() }: ClockCheckOptions) {
    this.#clock = clock
    this.#logger = logger
    this.#uptime = uptime
    this.#newestRecordAt = newestRecordAt
    this.#start = { at: clock.now(), uptime: uptime() }
  }

  /** Whether it is safe to delete what is old by the clock. */
  get isTrusted(): boolean {
    const now = this.#clock.now()
    const uptime = this.#uptime()
    this.#seen ??= { ...this.#start, at: this.#newestRecordAt() ?? this.#start.at }
    const expected = this.#seen.at + (uptime - this.#seen.uptime)
    if (Math.abs(now - expected) > DAY_MS) this.#seen = { at: now, uptime }
    if (now - expected > DAY_MS) {
      this.#doubtUntil = uptime + DAY_MS
      this.#logger.info(
        `The clock shows ${toIso(now)}, over a day after the newest record (${toIso(expected)}): nothing is deleted by age until it has been steady for a day`,
      )
    }
    return uptime >= this.#doubtUntil
  }
}
