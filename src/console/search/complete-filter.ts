import { SEARCH_FILTERS, SEARCH_KINDS, SEARCH_STATUS_WORDS } from '../../contract/search/search-query.ts'
import type { SearchFilterName } from '../../contract/search/search-query.ts'

/** A way to continue the text of a search. */
export interface Completion {
  /** The filter with its value, or the name of a filter. */
  readonly name: string
  readonly note: string
  /** The whole text. */
  readonly text: string
}

/** The values of a filter that has some, with their names. */
export type FilterValues = readonly (readonly [value: string, note: string])[]

/** What is typed last: the beginning of a filter's name, or a filter with the beginning of its value. */
const LAST_PART = /(?:^|\s)(?:([A-Za-z]*)|([A-Za-z]+):(?:("[^"]*)|([^\s"]*)))$/

export const FILTER_VALUES: Readonly<Partial<Record<SearchFilterName, FilterValues>>> = {
  status: SEARCH_STATUS_WORDS.map((status) => [status, '']),
  kind: [
    [SEARCH_KINDS[0], 'of workflows'],
    [SEARCH_KINDS[1], 'of agents'],
  ],
  last: [
    ['15m', 'last 15 minutes'],
    ['1h', 'last hour'],
    ['24h', 'last 24 hours'],
    ['7d', 'last 7 days'],
  ],
}

/** The filter whose value is being typed. */
export function openFilter(text: string): SearchFilterName | undefined {
  const [, , name] = LAST_PART.exec(text) ?? []
  const filter = name?.toLowerCase()
  return filter !== undefined && Object.hasOwn(SEARCH_FILTERS, filter)
    ? (filter as SearchFilterName)
    : undefined
}

/** Names of filters that begin as the last word. */
export function completeName(text: string): readonly Completion[] {
  const [, typed] = LAST_PART.exec(text) ?? []
  if (typed === undefined) return []
  const before = text.slice(0, text.length - typed.length)
  return (Object.entries(SEARCH_FILTERS) as [SearchFilterName, string][])
    .filter(([name]) => name.startsWith(typed.toLowerCase()))
    .map(([name, note]) => ({ name: `${name}:`, note, text: `${before}${name}:` }))
}

/** Values that have what is typed behind the colon of the last filter; none if it is one of them. */
export function completeValue(text: string, values: FilterValues): readonly Completion[] {
  const [, , filter, quoted, word = ''] = LAST_PART.exec(text) ?? []
  if (filter === undefined) return []
  const typed = quoted ?? word
  const start = typed.replace('"', '').toLowerCase()
  if (quoted === undefined && values.some(([value]) => value.toLowerCase() === start)) return []
  const before = text.slice(0, text.length - typed.length)
  return values
    .filter(([value, note]) => `${value} ${note}`.toLowerCase().includes(start))
    .map(([value, note]) => {
      const written = /^[^\s"]+$/.test(value) ? value : `"${value.replaceAll('"', ' ')}"`
      return { name: `${filter.toLowerCase()}:${written}`, note, text: `${before}${written} ` }
    })
}
