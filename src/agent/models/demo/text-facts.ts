const NUMBER = /(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?/g
const QUOTED = /["“]([^"“”]{1,500})["”]/g
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g
const URL_LIKE = /https?:\/\/[^\s"'<>()]+[^\s"'<>().,;:!?]/g
const CODE = /\b(?=[\w-]{0,40}\d)[A-Za-z][\w-]*\b/g
const PROPER_NAME =
  /\b(?:in|for|of|to|at|near|from|named|called|about|with)\s+(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)/gu

/** Values of one kind that a text mentions. Each is handed out once before any comes again. */
export class Mentions<T> {
  readonly #unused: T[]
  readonly #used: T[] = []

  constructor(values: readonly T[]) {
    this.#unused = [...values]
  }

  /** The first value not handed out yet that fits. */
  take(fits: (value: T) => boolean): T | undefined {
    for (const [index, value] of this.#unused.entries()) {
      if (!fits(value)) continue
      this.#unused.splice(index, 1)
      this.#used.push(value)
      return value
    }
    return undefined
  }

  /** A value that fits, handed out already. */
  repeat(fits: (value: T) => boolean): T | undefined {
    return this.#used.find((value) => fits(value))
  }
}

/** What a prompt says, taken apart into values that fields can be filled with. */
export interface TextFacts {
  readonly text: string
  readonly numbers: Mentions<number>
  readonly quoted: Mentions<string>
  readonly emails: Mentions<string>
  readonly urls: Mentions<string>
  /** Words with digits, as order numbers are written. */
  readonly codes: Mentions<string>
  /** Capitalised words after a preposition: places, people, products. */
  readonly names: Mentions<string>
  /** The first words, without the punctuation around them. */
  readonly words: readonly string[]
}

const MOST_TEXT = 20_000
const MOST_WORDS = 200
const LONGEST_WORD = 100

/** Reads the values out of a text; of a very long one, out of its beginning. */
export function readText(whole: string): TextFacts {
  const text = whole.slice(0, MOST_TEXT)
  return {
    text: whole,
    numbers: new Mentions([...text.matchAll(NUMBER)].map(([match]) => Number(match.replaceAll(',', '')))),
    quoted: new Mentions([...text.matchAll(QUOTED)].map(([, inside]) => inside ?? '')),
    emails: new Mentions([...text.matchAll(EMAIL)].map(([match]) => match)),
    urls: new Mentions([...text.matchAll(URL_LIKE)].map(([match]) => match)),
    codes: new Mentions([...text.matchAll(CODE)].map(([match]) => match)),
    names: new Mentions([...text.matchAll(PROPER_NAME)].map(([, name]) => name ?? '')),
    words: wordsOf(text),
  }
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/, MOST_WORDS)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && word.length <= LONGEST_WORD)
}
