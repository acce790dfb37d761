import { setMaxListeners } from 'node:events'

/** How long a call lives: as long as the exchange that it is in, and between two as long as what it is handed to. */
export class CallLife {
  readonly #abort = new AbortController()
  #unfollow: () => void = () => undefined

  constructor(within: AbortSignal) {
    // every question listens; how many there are is bounded
    setMaxListeners(0, this.#abort.signal)
    this.follow(within)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Ends with this signal from now on, and with no other. */
  follow(within: AbortSignal): void {
    this.#unfollow()
    const end = () => this.#abort.abort(within.reason)
    if (within.aborted) end()
    else within.addEventListener('abort', end, { once: true })
    this.#unfollow = () => within.removeEventListener('abort', end)
  }
}
