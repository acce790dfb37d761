/**
 * A tree of things that can be aborted. Aborting one aborts everything below it, at once and in this turn.
 * The AbortController of a scope is made only when somebody asks for its signal.
 */
export class Scope {
  readonly #parent: Scope | undefined
  #children: Set<Scope> | undefined
  #listeners: Set<(reason: Error) => void> | undefined
  #controller: AbortController | undefined
  #reason: Error | undefined

  constructor(parent?: Scope) {
    this.#parent = parent
    this.#reason = parent?.reason
    if (parent && !parent.reason) (parent.#children ??= new Set()).add(this)
  }

  /** Why the scope was aborted; `undefined` while it is not. */
  get reason(): Error | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#listeners ?? []) listener(reason)
    for (const child of this.#children ?? []) child.abort(reason)
    this.close()
  }

  /** Calls `listener` when the scope aborts, until the returned function is called. */
  onAbort(listener: (reason: Error) => void): () => void {
    if (this.#reason) {
      listener(this.#reason)
      return () => undefined
    }
    const listeners = (this.#listeners ??= new Set()).add(listener)
    return () => void listeners.delete(listener)
  }

  /** Waits for `work`, or rejects with the reason as soon as the scope aborts. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const dispose = this.onAbort(reject)
      work.then(
        (value) => {
          dispose()
          resolve(value)
        },
        (error: unknown) => {
          dispose()
          reject(error)
        },
      )
    })
  }

  /** Takes the scope out of the tree once its work is done. */
  close(): void {
    if (this.#parent) this.#parent.#children?.delete(this)
  }
}
