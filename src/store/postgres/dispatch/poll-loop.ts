/** Repeats work: after a time that it returns, or at once when it is woken. Two runs never overlap. */
export class PollLoop {
  readonly #work: () => Promise<number | undefined>
  #wake: () => void = () => undefined
  #woken = false
  #stopped = false
  #running: Promise<void> | undefined

  /** `work` resolves with the milliseconds until it runs again, or `undefined` to end, and never rejects. */
  constructor(work: () => Promise<number | undefined>) {
    this.#work = work
  }

  start(): void {
    if (!this.#stopped) this.#running ??= this.#run()
  }

  wake(): void {
    this.#woken = true
    this.#wake()
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false
      const ms = await this.#work()
      if (ms === undefined) return
      if (this.#woken || this.#stopped) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        timer.unref()
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
