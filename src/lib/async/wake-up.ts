/** A notification that is kept until the next `wait`. */
export class WakeUp {
  #notified = false
  #wake: (() => void) | undefined

  readonly notify = (): void => {
    this.#notified = true
    this.#wake?.()
  }

  async wait(): Promise<void> {
    if (!this.#notified) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#notified = false
    this.#wake = undefined
  }
}

/** A promise and the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** Creates a deferred. Replaces `Promise.withResolvers()` (ES2024), which Node 20 lacks. */
export function createDeferred<T>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve']
  let reject!: Deferred<T>['reject']
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  return { promise, resolve, reject }
}
