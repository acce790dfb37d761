const NUMBER = /(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?/g
const QUOTED = /["“]([^"“”]{1,500})["”]/g
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g
const URL_LIKE = /https?:\/\/[^\s"'<>()]+[^\s"'<>().,;:!?]/g
const CODE = /\b(?=[\w-]{0,40}\d)[A-Za-z][\w-]*\b/g
const PROPER_NAME =
  /\b(?:in|for|of|to|at|near|from|named|called|about|with)\s+(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)/gu

/** Values of one kind in a text. Each value is used once before any is repeated. */
export class Mentions<T> {
  readonly #unused: T[]
  readonly #used: T[] = []

  constructor(values: readonly T[]) {
    this.#unused = [...values]
  }

  /** The first unused value that fits. */
  take(fits: (value: T) => boolean): T | undefined {
    for (const [index, value] of this.#unused.entries()) {
      if (!fits(value)) continue
      this.#unused.splice(index, 1)
      this.#used.push(value)
      return value
    }
    return undefined
  }

  /** A used value that fits. */
  repeat(fits: (value: T) => boolean): T | undefined {
    return this.#used.find((value) => fits(value))
  }
}

/** The values that a prompt contains, by kind. */
export interface TextFacts {
  readonly text: string
  readonly numbers: Mentions<number>
  readonly quoted: Mentions<string>
  readonly emails: Mentions<string>
  readonly urls: Mentions<string>
  /** Words with digits, such as order numbers. */
  readonly codes: Mentions<string>
  /** Capitalised words after a preposition, such as places, people and products. */
  readonly names: Mentions<string>
  /** The first words, without the punctuation around them. */
  readonly words: readonly string[]
}

const MAX_TEXT_LENGTH = 20_000
const MAX_WORDS = 200
const MAX_WORD_LENGTH = 100

/** Extracts the values from the first 20,000 characters of a text. */
export function extractFacts(source: string): TextFacts {
  const text = source.slice(0, MAX_TEXT_LENGTH)
  return {
    text: source,
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
    .split(/\s+/, MAX_WORDS)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && word.length <= MAX_WORD_LENGTH)
}
