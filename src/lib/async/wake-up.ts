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
