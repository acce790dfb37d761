import type { MatchField, SearchResult } from '../../contract/endpoints/search.ts'
import type { SearchTerm } from '../../contract/search/search-query.ts'
import type { SearchRecord } from '../../store/search/search-store.ts'
import { readableJson } from './search-document.ts'

/** Characters before and after a match. */
const BEFORE = 60
const AFTER = 140

/** The text around the first of the terms in a record; `undefined` if its texts have none of them. */
export function excerptOf(
  { error, input, output, detail, steps }: SearchRecord,
  terms: readonly SearchTerm[],
): SearchResult['match'] | undefined {
  const texts: readonly (readonly [MatchField, string | null])[] = [
    ['error', error],
    ['input', input],
    ['output', output],
    ['detail', detail],
    ...steps.map((step) => ['step', step] as const),
  ]
  return firstMatch(
    texts.flatMap(([field, json]) => (json === null ? [] : [[field, readableJson(json)] as const])),
    terms,
  )
}

export function firstMatch(
  texts: readonly (readonly [MatchField, string])[],
  terms: readonly SearchTerm[],
): SearchResult['match'] | undefined {
  const patterns = terms.map((term) => patternOf(term))
  for (const [field, text] of texts)
    for (const pattern of patterns) {
      const at = text.search(pattern)
      if (at !== -1) return { field, text: around(text, at) }
    }
  return undefined
}

/** Finds the words as they are written: with other characters between them, in any case. */
function patternOf({ words, isPrefix }: SearchTerm): RegExp {
  // the words are letters and digits, which mean themselves
  const phrase = words.join(String.raw`[^\p{L}\p{N}]+`)
  return new RegExp(`(?<![\\p{L}\\p{N}])${phrase}${isPrefix ? '' : '(?![\\p{L}\\p{N}])'}`, 'iu')
}

function around(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE)
  const end = Math.min(text.length, at + AFTER)
  // a surrogate pair may have been cut
  const whole = Buffer.from(text.slice(start, end)).toString()
  const part = whole.replaceAll(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`
}
