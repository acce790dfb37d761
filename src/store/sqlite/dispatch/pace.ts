interface PaceOptions {
  /** The time of a turn of the event loop that is aimed at, in milliseconds. */
  readonly turnMs: number
  readonly least: number
  readonly most: number
}

/**
 * Decides how much of a backlog is begun in one turn of the event loop: as much as keeps the turn short, whether it is
 * the backlog or other work that takes the time. An idle process works on it without a pause.
 */
export class Pace {
  readonly #options: PaceOptions
  #share: number
  #beganAt: number | undefined

  constructor(options: PaceOptions) {
    this.#options = options
    this.#share = options.least
  }

  /** How much may be begun now. */
  get share(): number {
    return this.#share
  }

  /** The share of this turn is about to begin. */
  begin(): void {
    if (this.#beganAt !== undefined) return
    this.#beganAt = performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    const { turnMs, least, most } = this.#options
    const tookMs = performance.now() - (this.#beganAt ?? 0)
    this.#beganAt = undefined
    if (tookMs > turnMs) this.#share = Math.max(Math.floor(this.#share / 2), least)
    else if (tookMs < turnMs / 2) this.#share = Math.min(this.#share * 2, most)
  }
}
