export interface GenerationOptions<Value> {
  readonly number: number
  readonly value: Value
  readonly files: readonly string[]
  /** Ends the modules that no later generation holds. */
  readonly end: () => Promise<void>
}

export interface Retirement {
  /** How long users may hold on to a retired generation, in milliseconds. */
  readonly graceMs: number
  readonly onOverdue: (uses: number) => void
}

/** One state of the user's code that loaded and was accepted. */
export class Generation<Value> {
  /** Counted from 1. */
  readonly number: number
  /** What the config was accepted as. */
  readonly value: Value
  /** The project's files it was made of, absolute. */
  readonly files: readonly string[]
  readonly #end: () => Promise<void>
  #uses = 0
  #retired = false
  #ended: Promise<void> | undefined
  #grace: NodeJS.Timeout | undefined

  constructor({ number, value, files, end }: GenerationOptions<Value>) {
    this.number = number
    this.value = value
    this.files = files
    this.#end = end
  }

  /** Keeps the generation's modules alive until the returned function is called. */
  use(): () => void {
    this.#uses++
    let released = false
    return () => {
      if (released) return
      released = true
      this.#uses--
      if (this.#retired && this.#uses === 0) void this.end()
    }
  }

  /** Ends the generation with its last user, at the latest when the grace is over. */
  retire({ graceMs, onOverdue }: Retirement): void {
    this.#retired = true
    if (this.#uses === 0) return void this.end()
    this.#grace = setTimeout(() => {
      onOverdue(this.#uses)
      void this.end()
    }, graceMs)
    this.#grace.unref()
  }

  /** Ends it now, used or not. */
  end(): Promise<void> {
    clearTimeout(this.#grace)
    return (this.#ended ??= this.#end())
  }
}
