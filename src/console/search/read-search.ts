import { MAX_SEARCH_CHARS, parseSearch } from '../../contract/search/search-query.ts'
import type { ParsedSearch } from '../../contract/search/search-query.ts'

/** Parses the text of a search, as the server does with what it is sent. */
export function readSearch(text: string): ParsedSearch {
  if (text.length > MAX_SEARCH_CHARS)
    return { problem: `A search has at most ${MAX_SEARCH_CHARS} characters: shorten it` }
  // half of a surrogate pair is no text, and not sent
  if (/[\0\p{Cs}]/u.test(text)) return { problem: 'A search must not contain NUL or half of a character' }
  return parseSearch(text)
}
