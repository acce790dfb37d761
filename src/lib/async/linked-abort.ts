import { setMaxListeners } from 'node:events'

/**
 * The lifetime of a tool call that may span several HTTP exchanges. Its signal follows the current exchange; while
 * the call waits between two exchanges it follows a signal of the server.
 */
export class LinkedAbort {
  readonly #abort = new AbortController()
  #unfollow: () => void = () => undefined

  constructor(parent: AbortSignal) {
    // every pending client request adds a listener; their number is limited by PendingRequests
    setMaxListeners(0, this.#abort.signal)
    this.follow(parent)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Makes `parent` the only signal that ends this lifetime. */
  follow(parent: AbortSignal): void {
    this.#unfollow()
    const end = () => this.#abort.abort(parent.reason)
    if (parent.aborted) end()
    else parent.addEventListener('abort', end, { once: true })
    this.#unfollow = () => parent.removeEventListener('abort', end)
  }

  /** Follows no signal any more: what it was for has ended. */
  release(): void {
    this.#unfollow()
  }
}
