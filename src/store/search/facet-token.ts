import type { SEARCH_FACETS } from '../../contract/search/search-query.ts'
import type { SearchFacetValue } from './search-store.ts'

const MAX_VALUE_CHARS = 128

const LETTERS: Readonly<Record<(typeof SEARCH_FACETS)[number], string>> = {
  status: 's',
  workflow: 'w',
  agent: 'a',
  user: 'u',
  decided: 'd',
  kind: 'k',
}

/** A facet with its value as one word of an index: letters and digits only, whatever the value is. */
export function facetToken([facet, value]: SearchFacetValue): string {
  const hex = (text: string) => Buffer.from(text.toLowerCase().slice(0, MAX_VALUE_CHARS)).toString('hex')
  // a member of the metadata, and its value
  if (isMetadata(facet)) return `m${hex(facet)}x${hex(value)}`
  return `${LETTERS[facet]}${hex(value)}`
}

function isMetadata(facet: SearchFacetValue[0]): facet is `metadata.${string}` {
  return facet.startsWith('metadata.')
}
