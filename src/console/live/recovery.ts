export interface RecoveryOptions {
  /** Whether the server can serve requests. */
  readonly isReady: () => Promise<boolean>
  /** Repeats what has failed. */
  readonly recover: () => void
}

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 15_000

/** Repeats failed requests with growing delays, once the server can serve them. */
export class Recovery {
  readonly #options: RecoveryOptions
  #delay = FIRST_DELAY_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #recoveredAt = 0

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** A request failed because of the server. */
  readonly failed = (): void => {
    if (this.#timer !== undefined) return
    // failures long after the last ones are new
    if (performance.now() > this.#recoveredAt + 2 * MAX_DELAY_MS) this.#delay = FIRST_DELAY_MS
    this.#timer = setTimeout(() => void this.#try(), this.#delay)
    this.#delay = Math.min(MAX_DELAY_MS, this.#delay * 2)
  }

  /** The server is back, and what has failed is repeated. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#delay = FIRST_DELAY_MS
  }

  async #try(): Promise<void> {
    const isReady = await this.#options.isReady()
    if (this.#timer === undefined) return
    this.#timer = undefined
    if (!isReady) return this.failed()
    this.#recoveredAt = performance.now()
    this.#options.recover()
  }
}
