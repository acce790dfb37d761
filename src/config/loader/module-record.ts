import type { CompiledModule } from './compile/module-compiler.ts'
import type { HotModule } from './hot-module.ts'
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
