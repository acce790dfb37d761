/** The parts of an answer, and the answer once they are read. */
export interface OpenedAnswer<Part, Answer> {
  /** Parts of the answer, as they arrive. */
  readonly parts: AsyncGenerator<Part>
  /** The complete answer, after the last part. Rejects when it failed, or waits for approval. */
  readonly answer: () => Promise<Answer>
}

/**
 * An answer part by part, and `result`, the complete one. The parts can be read several times; leaving the loop aborts
 * the answer, unless somebody else reads it or has asked for `result`.
 *
 * @example
 * const answer = clerk.stream('Where is order 7?')
 * for await (const part of answer) if (part.type === 'text-delta') process.stdout.write(part.text)
 * const { usage } = await answer.result
 */
export class StreamedAnswer<Part, Answer> implements AsyncIterable<Part> {
  readonly #opened: Promise<OpenedAnswer<Part, Answer>>
  readonly #left = new AbortController()
  /** The parts so far: each reader begins with the first. */
  readonly #parts: Part[] = []
  #reading: Promise<boolean> | undefined
  #readers = 0
  #result: Promise<Answer> | undefined

  constructor(open: (left: AbortSignal) => Promise<OpenedAnswer<Part, Answer>>) {
    this.#opened = open(this.#left.signal)
    // whoever reads it receives the error
    this.#opened.catch(() => undefined)
  }

  /** The complete answer. Rejects as `agent.generate()` does. Reads the parts that nobody has read. */
  get result(): Promise<Answer> {
    if (!this.#result) {
      this.#readers++
      this.#result = this.#readAll()
      this.#result.catch(() => undefined)
    }
    return this.#result
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Part, void, undefined> {
    this.#readers++
    let isRead = false
    try {
      for (let index = 0; index < this.#parts.length || (await this.#read()); index++)
        yield this.#parts[index] as Part
      isRead = true
    } finally {
      this.#readers--
      if (!isRead && this.#readers === 0) this.#left.abort()
    }
  }

  async #readAll(): Promise<Answer> {
    while (await this.#read());
    const { answer } = await this.#opened
    return answer()
  }

  /** Reads the next part, for all readers. `false` after the last one. */
  #read(): Promise<boolean> {
    this.#reading ??= this.#readNext().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNext(): Promise<boolean> {
    const { parts } = await this.#opened
    const { done, value } = await parts.next()
    if (done === true) return false
    this.#parts.push(value)
    return true
  }
}
