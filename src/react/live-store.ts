/** State outside of React that a stream keeps current while a component shows it (`useSyncExternalStore`). */
export abstract class LiveStore<State extends object> {
  readonly #listeners = new Set<() => void>()
  #state: State
  #streaming: AbortController | undefined
  #notifying = false

  constructor(initial: State) {
    this.#state = initial
  }

  /** Keeps the state current until `signal` aborts: nothing shows it any more. It is called again when something does. */
  protected abstract stream(signal: AbortSignal): Promise<void>

  /** Whether a component shows the state. */
  get isShown(): boolean {
    return this.#listeners.size > 0
  }

  readonly get = (): State => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (!this.#streaming) {
      this.#streaming = new AbortController()
      void this.stream(this.#streaming.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#streaming?.abort()
      this.#streaming = undefined
    }
  }

  /** Changes of one turn are shown together. */
  protected set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change }
    if (this.#notifying) return
    this.#notifying = true
    setTimeout(() => {
      this.#notifying = false
      for (const listener of this.#listeners) listener()
    })
  }
}

/** Holds an error as `Error`: the requests of a client reject with nothing else. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
