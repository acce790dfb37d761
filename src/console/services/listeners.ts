/** Whoever wants to know of changes. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** Tells this one until the returned function is called, as `useSyncExternalStore` has it. */
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
