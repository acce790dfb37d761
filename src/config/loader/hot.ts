/** `import.meta.hot`: what a module may do about being replaced. */
export interface HotContext {
  /** One object for all versions of the file. */
  readonly data: Record<string, unknown>
  /**
   * Runs when the last execution that uses this version of the module has ended, or at once when the version
   * never came into service. The next version has run by then.
   */
  dispose(callback: (data: Record<string, unknown>) => void | Promise<void>): void
}

declare global {
  interface ImportMeta {
    /** Set in modules that `agentserver` loads. */
    readonly hot?: HotContext
  }
}

type Disposer = (data: Record<string, unknown>) => void | Promise<void>

/** One version's disposers. */
export class HotModule implements HotContext {
  readonly data: Record<string, unknown>
  readonly #disposers: Disposer[] = []
  readonly #onError: (error: unknown) => void
  #ended = false

  constructor(data: Record<string, unknown>, onError: (error: unknown) => void) {
    this.data = data
    this.#onError = onError
  }

  dispose(callback: Disposer): void {
    if (this.#ended) void this.#run(callback)
    else this.#disposers.push(callback)
  }

  /** Runs the disposers, last registered first. Their errors are handed to `onError`. */
  async end(): Promise<void> {
    this.#ended = true
    for (const disposer of this.#disposers.splice(0).toReversed()) await this.#run(disposer)
  }

  async #run(disposer: Disposer): Promise<void> {
    try {
      await disposer(this.data)
    } catch (error) {
      this.#onError(error)
    }
  }
}
