/** Longer words are indexed and found by their beginning. */
const MAX_WORD_CHARS = 64

/**
 * The words of a text as the search index has them: letters and digits, in lower case and without diacritics. Everything
 * else separates words, so that `A-1042` is the words `a` and `1042`.
 */
export function searchWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, MAX_WORD_CHARS))
}
