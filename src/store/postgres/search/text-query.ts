import type { SearchFacet } from '../../../contract/search/search-query.ts'
import { facetToken } from '../../search/facet-token.ts'
import type { SearchDocument, SearchFilter } from '../../search/search-store.ts'

/** Positions beyond are not kept. */
const MAX_POSITION = 16_383

/** No word has this character, so that no text has the token of a facet. */
const FACET = '='

/**
 * The text of a tsvector. The words are those of the index, as the configuration `simple` has them, so that Postgres and
 * SQLite find the same: a parser of Postgres splits ids, numbers and addresses in its own way.
 */
export function textVector({ words, facets }: Pick<SearchDocument, 'words' | 'facets'>): string {
  const positions = new Map<string, number[]>()
  for (const [index, word] of words.slice(0, MAX_POSITION).entries()) {
    const known = positions.get(word)
    if (known) known.push(index + 1)
    else positions.set(word, [index + 1])
  }
  return [
    ...[...positions].map(([word, at]) => `'${word}':${at.slice(0, 255).join(',')}`),
    ...facets.map((facet) => `'${FACET}${facetToken(facet)}'`),
  ].join(' ')
}

/** The text of the tsquery of a filter; `undefined` if it matches everything. */
export function textQuery({ terms, facets }: Pick<SearchFilter, 'terms' | 'facets'>): string | undefined {
  const parts = [
    ...terms.map(({ words, isPrefix }) => {
      const phrase = words.map((word) => `'${word}'`).join(' <-> ')
      return isPrefix ? `${phrase}:*` : phrase
    }),
    ...(Object.keys(facets) as SearchFacet[]).map((facet) =>
      (facets[facet] ?? []).map((value) => `'${FACET}${facetToken([facet, value])}'`).join(' | '),
    ),
  ]
  return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' & ')
}
