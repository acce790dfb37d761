import type { SearchFacet } from '../../../contract/search/search-query.ts'
import { facetToken } from '../../search/facet-token.ts'
import type { SearchFilter } from '../../search/search-store.ts'

/** The MATCH expression of a filter; `undefined` if it matches everything. */
export function matchExpression({
  terms,
  facets,
}: Pick<SearchFilter, 'terms' | 'facets'>): string | undefined {
  const parts = [
    ...terms.map(({ words, isPrefix }) => `words : "${words.join(' ')}"${isPrefix ? ' *' : ''}`),
    ...(Object.keys(facets) as SearchFacet[]).map((facet) => {
      const tokens = (facets[facet] ?? []).map((value) => `"${facetToken([facet, value])}"`)
      return `facets : (${tokens.join(' OR ')})`
    }),
  ]
  return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' AND ')
}
