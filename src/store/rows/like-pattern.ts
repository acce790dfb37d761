const BEYOND_ASCII = /[^\0-\u007f]/u
const EACH_BEYOND_ASCII = new RegExp(BEYOND_ASCII, 'gu')

/**
 * The LIKE pattern of a word, with `!` as escape character. The case of ASCII letters only is ignored, so other
 * characters match any character; {@link wordsIn} then checks the result.
 */
export function patternOf(word: string): string {
  return `%${word.replaceAll(/[%_!]/g, '!$&').replaceAll(EACH_BEYOND_ASCII, '_')}%`
}

/** A check whether a matched text contains the words; `undefined` if the patterns are exact. */
export function wordsIn(words: readonly string[]): ((text: string) => boolean) | undefined {
  const inexact = words.filter((word) => BEYOND_ASCII.test(word)).map((word) => word.toLowerCase())
  if (inexact.length === 0) return undefined
  return (text) => {
    const lower = text.toLowerCase()
    return inexact.every((word) => lower.includes(word))
  }
}
