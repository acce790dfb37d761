/** A set of change listeners. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** Adds a listener and returns its remove function, as `useSyncExternalStore` expects. */
  readonly add = (listener: () => void): (() => void) => {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  notify(): void {
    for (const listener of this.#all) listener()
  }

  clear(): void {
    this.#all.clear()
  }
}
