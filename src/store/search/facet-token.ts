import type { SearchFacet } from '../../contract/search/search-query.ts'
import type { SearchFacetValue } from './search-store.ts'

const MAX_VALUE_CHARS = 128

const LETTERS: Readonly<Record<SearchFacet, string>> = {
  status: 's',
  workflow: 'w',
  agent: 'a',
  user: 'u',
  decided: 'd',
  kind: 'k',
}

/** A facet with its value as one word of an index: letters and digits only, whatever the value is. */
export function facetToken([facet, value]: SearchFacetValue): string {
  const bytes = Buffer.from(value.toLowerCase().slice(0, MAX_VALUE_CHARS))
  return `${LETTERS[facet]}${bytes.toString('hex')}`
}
