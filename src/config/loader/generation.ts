import type { ModuleNamespace } from './namespace.ts'

export interface GenerationOptions<Value> {
  readonly number: number
  readonly value: Value
  readonly files: readonly string[]
  readonly contentHash: () => string
  readonly importFile: (file: string) => Promise<ModuleNamespace>
  /** Disposes the modules that no later generation uses. */
  readonly end: () => Promise<void>
}

export interface Retirement {
  /** The maximum time that a retired generation stays in use, in milliseconds. */
  readonly graceMs: number
  readonly onOverdue: (holds: number) => void
}

/** A version of the user's code that loaded and is valid. */
export class Generation<Value> {
  /** Counted from 1. */
  readonly number: number
  /** The validated config. */
  readonly value: Value
  /** The project files that it consists of, absolute. */
  readonly files: readonly string[]
  /** A hash of the names and contents of its files. */
  readonly contentHash: () => string
  /**
   * Imports another file of the project, absolute, with the modules that this generation has loaded.
   *
   * @throws LoadError when it can't be loaded.
   */
  readonly importFile: (file: string) => Promise<ModuleNamespace>
  readonly #end: () => Promise<void>
  #holds = 0
  #retired = false
  #ended: Promise<void> | undefined
  #grace: NodeJS.Timeout | undefined

  constructor({ number, value, files, contentHash, importFile, end }: GenerationOptions<Value>) {
    this.number = number
    this.value = value
    this.files = files
    this.contentHash = contentHash
    this.importFile = importFile
    this.#end = end
  }

  /** Keeps the generation's modules in use until the returned function is called. */
  hold(): () => void {
    this.#holds++
    let released = false
    return () => {
      if (released) return
      released = true
      this.#holds--
      if (this.#retired && this.#holds === 0) void this.end()
    }
  }

  /** Ends the generation when its last user is done, or after the grace period. */
  retire({ graceMs, onOverdue }: Retirement): void {
    this.#retired = true
    if (this.#holds === 0) return void this.end()
    this.#grace = setTimeout(() => {
      onOverdue(this.#holds)
      void this.end()
    }, graceMs)
    this.#grace.unref()
  }

  /** Ends the generation now, even if it is in use. */
  end(): Promise<void> {
    clearTimeout(this.#grace)
    return (this.#ended ??= this.#end())
  }
}
