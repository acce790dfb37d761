/** `import.meta.hot`: lets a module react to being replaced. */
export interface HotContext {
  /** An object that all versions of the file share. */
  readonly data: Record<string, unknown>
  /**
   * Registers a callback that runs when the last execution that uses this version of the module has ended, or
   * immediately if this version never comes into service. The next version has run before.
   */
  dispose(callback: (data: Record<string, unknown>) => void | Promise<void>): void
}

declare global {
  interface ImportMeta {
    /** Defined in modules that `agentserver` loads. */
    readonly hot?: HotContext
  }
}

type Disposer = (data: Record<string, unknown>) => void | Promise<void>

/** The dispose callbacks of one module version. */
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

  /** Runs the callbacks, last registered first. Errors are passed to `onError`. */
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
