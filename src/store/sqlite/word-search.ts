const BEYOND_ASCII = /[^\0-\u007f]/u
const EACH_BEYOND_ASCII = new RegExp(BEYOND_ASCII, 'gu')

/**
 * Has LIKE find a word in any case, with `!` as its escape. Of letters beyond ASCII, whose cases SQLite does not know,
 * it finds any: {@link wordsIn} tells then.
 */
export function patternOf(word: string): string {
  return `%${word.replaceAll(/[%_!]/g, '!$&').replaceAll(EACH_BEYOND_ASCII, '_')}%`
}

/** Whether a text that the patterns found has the words; `undefined` where there is no doubt. */
export function wordsIn(words: readonly string[]): ((text: string) => boolean) | undefined {
  const doubtful = words.filter((word) => BEYOND_ASCII.test(word)).map((word) => word.toLowerCase())
  if (doubtful.length === 0) return undefined
  return (text) => {
    const lower = text.toLowerCase()
    return doubtful.every((word) => lower.includes(word))
  }
}
