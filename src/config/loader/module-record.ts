import type { CompiledModule } from './compile/compile.ts'
import type { HotModule } from './hot.ts'
import { createNamespace } from './namespace.ts'
import type { ModuleNamespace } from './namespace.ts'

/** One run of one file. */
export class ModuleRecord {
  readonly file: string
  readonly hot: HotModule
  readonly namespace: ModuleNamespace = createNamespace()
  /** Files of the project it imported or required, in order. */
  readonly imports = new Set<string>()
  /** Specifiers that led nowhere. */
  readonly unresolved = new Set<string>()
  /** Fulfils with the namespace once the module has run. */
  readonly completion: Promise<ModuleNamespace>
  /** Generations that hold it. */
  holders = 0
  source: string | undefined
  compiled: CompiledModule | undefined
  /** Set for CommonJS and JSON. */
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
    // whoever imports it sees the failure; a dynamic import nobody awaits must not end the process
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

  /** Throws what the module threw, if it did. */
  assertNotFailed(): void {
    if (this.#state === 'failed') throw this.#error
  }
}
