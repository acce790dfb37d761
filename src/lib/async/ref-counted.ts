/** Keeps something running while it is used. */
export class RefCounted {
  #users = 0
  #start: (() => () => void) | undefined
  #stop: (() => void) | undefined

  get isUsed(): boolean {
    return this.#users > 0
  }

  /** Sets what runs from now on: `start` starts it and returns the function that stops it. */
  run(start: () => () => void): void {
    this.#stop?.()
    this.#start = start
    this.#stop = this.isUsed ? start() : undefined
  }

  /** Starts it, unless it runs already. The returned function ends this use; it stops with the last one. */
  use(): () => void {
    if (++this.#users === 1) this.#stop = this.#start?.()
    let used = true
    return () => {
      if (!used) return
      used = false
      if (--this.#users > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }
}
