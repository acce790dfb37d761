import type { OutputCheck } from './output-check.ts'

/** Time after which text is checked that does not end with a sentence, in milliseconds. */
const MAX_HOLD_MS = 500
/** Time from which a check is slow: sentences that arrive in the meantime are checked together. */
const SLOW_CHECK_MS = 50

/** The end of a sentence or a line, and its usual maximum length. */
const MAX_END_LENGTH = 8
const SENTENCE_END = /[.!?…]["'”’»)\]*_]*\s|[。！？]|\n/g

/** The text of a stream that the guardrails have not seen yet. */
export class HeldText {
  readonly #check: OutputCheck
  /** All text so far. */
  #text = ''
  /** How much of it the guardrails have seen. */
  #seen = 0
  /** What passed of it. */
  #passed = ''
  /** The end of the last sentence. */
  #due = 0
  #since: number | undefined
  #lastMs = 0

  constructor(check: OutputCheck) {
    this.#check = check
  }

  /** Whether a sentence is complete. */
  get isDue(): boolean {
    return this.#due > this.#seen
  }

  /** Whether the last check was slow, and more text may still be added before the next one. */
  get isSlow(): boolean {
    return this.#lastMs >= SLOW_CHECK_MS && (this.remainingMs ?? 0) > 0
  }

  /** The time until the text must be checked, in milliseconds; `undefined` when there is none. */
  get remainingMs(): number | undefined {
    if (this.#since === undefined) return undefined
    return Math.max(0, this.#since + MAX_HOLD_MS - performance.now())
  }

  add(delta: string): void {
    // the end of a sentence may be in several deltas
    const from = Math.max(this.#seen, this.#text.length - MAX_END_LENGTH)
    this.#text += delta
    this.#since ??= performance.now()
    SENTENCE_END.lastIndex = from
    let end = 0
    while (SENTENCE_END.test(this.#text)) end = SENTENCE_END.lastIndex
    if (end > this.#seen) this.#due = this.#check.unfinished(this.#text.slice(0, end), this.#seen)
  }

  /** Checks the complete sentences. Returns the text to send. */
  pass(): Promise<string> {
    return this.#pass(this.#due)
  }

  /** Checks all text, except what may be the beginning of a text to replace. */
  passAll(): Promise<string> {
    return this.#pass(this.#check.unfinished(this.#text, this.#seen))
  }

  /** Checks all text. */
  end(): Promise<string> {
    return this.#pass(this.#text.length)
  }

  /** Checks all text before a tool call, whose rest may come later. */
  async endBeforeCall(): Promise<string> {
    const before = this.#passed
    await this.#pass(this.#text.length)
    const passed = this.#check.redactEnd(this.#passed)
    if (passed !== this.#passed) {
      // what was replaced is not shown with the text that follows either
      this.#text = passed
      this.#seen = passed.length
      this.#passed = passed
    }
    return passed.slice(commonLength(before, passed))
  }

  /** Whether text is held back. */
  get hasText(): boolean {
    return this.#text.length > this.#seen
  }

  async #pass(end: number): Promise<string> {
    this.#since = undefined
    if (end <= this.#seen) return ''
    const startedAt = performance.now()
    const passed = await this.#check.text(this.#text.slice(0, end))
    this.#lastMs = performance.now() - startedAt
    if (end < this.#text.length) this.#since = performance.now()
    const delta = passed.slice(commonLength(this.#passed, passed))
    this.#seen = end
    this.#passed = passed
    return delta
  }
}

/** How much of the beginning two texts have in common. */
function commonLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}
