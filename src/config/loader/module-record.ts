import type { CompiledModule } from './compile/module-compiler.ts'
import { createNamespace } from './namespace.ts'
import type { ModuleNamespace } from './namespace.ts'

/** One run of one file. */
export class ModuleRecord {
  readonly file: string
  readonly hot: HotModule
  readonly namespace: ModuleNamespace = createNamespace()
  /** Project files that it imported or required, in order. */
  readonly imports = new Set<string>()
  /** Specifiers that did not resolve. */
  readonly unresolved = new Set<string>()
  /** Resolves with the namespace when the module has run. */
  readonly completion: Promise<ModuleNamespace>
  /** The number of generations that contain it. */
  holders = 0
  source: string | undefined
  compiled: CompiledModule | undefined
  /** Defined for CommonJS and JSON. */
  commonJs: { exports: unknown } | undefined
  #state: 'running' | 'done' | 'failed' = 'running'
  #error: unknown
  #settle: { resolve(namespace: ModuleNamespace): void; reject(error: unknown): void }

  constructor(file: string, hot: HotModule) {
    this.file = file
    this.hot = hot
    this.#settle = { resolve: () => {}, reject: () => {} }
    this.completion = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // importers see the failure; a dynamic import that nobody awaits must not end the process
    this.completion.catch(() => {})
  }

  get running(): boolean {
    return this.#state === 'running'
  }

  finish(): void {
    this.#state = 'done'
    this.#settle.resolve(this.namespace)
  }

  fail(error: unknown): void {
    this.#state = 'failed'
    this.#error = error
    this.#settle.reject(error)
  }

  /** Throws the module's error if it failed. */
  assertNotFailed(): void {
    if (this.#state === 'failed') throw this.#error
  }
}

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
