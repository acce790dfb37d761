/**
 * A node of a tree of abortable work. Aborting it synchronously aborts its descendants too. Cheaper than a tree of
 * AbortControllers: a scope creates its controller only when its signal is used.
 */
export class Scope {
  readonly #parent: Scope | undefined
  #children: Set<Scope> | undefined
  #listeners: Set<(reason: Error) => void> | undefined
  #controller: AbortController | undefined
  #reason: Error | undefined
  #notice: Error | undefined

  constructor(parent?: Scope) {
    this.#parent = parent
    this.#reason = parent?.reason
    this.#notice = parent?.notice
    if (parent && !parent.reason) (parent.#children ??= new Set()).add(this)
  }

  /** The reason of the abort; `undefined` if the scope is not aborted. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** The reason for which only the signals were aborted; `undefined` if they were not. */
  get notice(): Error | undefined {
    return this.#notice
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    const reason = this.#reason ?? this.#notice
    if (reason) this.#controller.abort(reason)
    return this.#controller.signal
  }

  /** Aborts the signals of the scope and its descendants. Guarded work is still waited for, so that it can end by itself. */
  abortSignals(notice: Error): void {
    if (this.#reason || this.#notice) return
    this.#notice = notice
    this.#controller?.abort(notice)
    for (const child of this.#children ?? []) child.abortSignals(notice)
  }

  abort(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#listeners ?? []) listener(reason)
    for (const child of this.#children ?? []) child.abort(reason)
    this.close()
  }

  /** Calls `listener` when the scope is aborted, or immediately if it is. Returns a function that removes the listener. */
  onAbort(listener: (reason: Error) => void): () => void {
    if (this.#reason) {
      listener(this.#reason)
      return () => undefined
    }
    const listeners = (this.#listeners ??= new Set()).add(listener)
    return () => void listeners.delete(listener)
  }

  /** Waits for `work`; rejects with the reason when the scope is aborted first. */
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

  /** Removes the scope from its parent. Must be called when its work is done. */
  close(): void {
    if (this.#parent) this.#parent.#children?.delete(this)
  }
}
