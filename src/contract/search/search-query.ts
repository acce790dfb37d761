import { EXECUTION_STATUSES } from '../status/execution-statuses.ts'
import { parseDuration } from '../../lib/duration.ts'
import { statusWord } from '../status/status-word.ts'
import { searchWords } from './search-words.ts'

/** What a search finds. */
export const SEARCH_KINDS = ['execution', 'run'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

/** The statuses of executions and of agent runs. */
export const SEARCH_STATUSES = [...EXECUTION_STATUSES, 'aborted'] as const

/** The words for them, of which `cancelled` finds aborted runs, too. */
export const SEARCH_STATUS_WORDS = [...new Set(SEARCH_STATUSES.map((status) => statusWord(status)))]

/** The filters of a search with what their value is, such as `status:error`. */
export const SEARCH_FILTERS = {
  status: SEARCH_STATUS_WORDS.join(', '),
  workflow: 'the id or name of a workflow',
  agent: 'the id of an agent',
  user: 'the id of a user',
  decided: 'the id of a user who approved, denied or resumed',
  kind: SEARCH_KINDS.join(', '),
  last: 'a duration such as 15m, 1h or 7d',
} as const

export type SearchFilterName = keyof typeof SEARCH_FILTERS

/** Filters whose value is compared with a property of the record. */
export const SEARCH_FACETS = ['status', 'workflow', 'agent', 'user', 'decided', 'kind'] as const
export type SearchFacet = (typeof SEARCH_FACETS)[number] | `metadata.${string}`

export const MAX_SEARCH_CHARS = 512
/** Each term is a lookup in the index. */
const MAX_TERMS = 24

/** Words that follow each other. */
export interface SearchTerm {
  readonly words: readonly string[]
  /** Whether the last word can be the beginning of one. */
  readonly isPrefix: boolean
}

/** A parsed search: each term occurs, and each filter has one of its values. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** Values in lower case. */
  readonly facets: Readonly<Partial<Record<SearchFacet, readonly string[]>>>
  /** Only records of the last milliseconds. */
  readonly lastMs?: number
}

export type ParsedSearch =
  | { readonly query: SearchQuery; readonly problem?: undefined }
  | { readonly query?: undefined; readonly problem: string }

/** A filter, a phrase in quotes, or a word. An address such as `https://…` is a word. */
const PART =
  /(?:(metadata\.[\w-]+(?==)|[A-Za-z]+)(?::(?!\/\/)|=(?<=metadata\.[\w-]+=)))?(?:"([^"]*)("?)|([^\s"]+))|"/g

/**
 * Parses a search: words, phrases in quotes and filters. The last word also finds words that begin with it.
 *
 * @example
 * parseSearch('status:error workflow:order "A-1042" last:1h').query
 * // { terms: [{ words: ['a', '1042'], isPrefix: false }], facets: { status: ['error'], workflow: ['order'] }, lastMs: 3600000 }
 * parseSearch('colour:red').problem // 'Unknown filter "colour". Filters: status, …'
 */
export function parseSearch(text: string): ParsedSearch {
  const terms: SearchTerm[] = []
  const facets: Partial<Record<SearchFacet, string[]>> = {}
  let lastMs: number | undefined
  for (const [, name, phrase, close, word] of emptyFilterChecked(text)) {
    if (phrase !== undefined && close === '') return { problem: 'A quotation mark has no counterpart' }
    const value = phrase ?? word ?? ''
    if (name === undefined) {
      const words = searchWords(value)
      if (words.length > 0) terms.push({ words, isPrefix: phrase === undefined })
      continue
    }
    if (name.startsWith('metadata.')) {
      ;(facets[name as SearchFacet] ??= []).push(value.toLowerCase())
      continue
    }
    const filter = name.toLowerCase()
    const problem = problemOf(filter, name, value)
    if (problem !== undefined) return { problem }
    if (filter === 'last') lastMs = parseDuration(value)
    else (facets[filter as SearchFacet] ??= []).push(...valuesOf(filter, value))
  }
  if (terms.length > MAX_TERMS) return { problem: `A search has at most ${MAX_TERMS} words` }
  const isEmpty = terms.length === 0 && Object.keys(facets).length === 0 && lastMs === undefined
  if (isEmpty) return { problem: 'Must contain a word with letters or digits, or a filter' }
  const last = terms.length - 1
  return {
    query: {
      terms: terms.map((term, index) => ({ ...term, isPrefix: term.isPrefix && index === last })),
      facets,
      ...(lastMs !== undefined && { lastMs }),
    },
  }
}

/** The parts of a text. `status: error` is a filter without a value, and not a word. */
function emptyFilterChecked(text: string): RegExpExecArray[] {
  return [...text.replaceAll(/(^|\s)([A-Za-z]+):(?=\s|$)/g, '$1$2:""').matchAll(PART)]
}

function problemOf(filter: string, written: string, value: string): string | undefined {
  const names = Object.keys(SEARCH_FILTERS)
  if (!names.includes(filter))
    return `Unknown filter "${written}". Filters: ${names.join(', ')}. To search for the text, quote it: "${written}:${value}"`
  const expected = `${filter}: Must be ${SEARCH_FILTERS[filter as SearchFilterName]}`
  if (value.trim() === '') return expected
  if (filter === 'last') return isDuration(value) ? undefined : expected
  const allowed: Readonly<Record<string, readonly string[]>> = { status: SEARCH_STATUSES, kind: SEARCH_KINDS }
  const values = valuesOf(filter, value)
  return values.every((one) => allowed[filter]?.includes(one) ?? true) ? undefined : expected
}

function isDuration(value: string): boolean {
  return (parseDuration(value) ?? 0) > 0
}

/** Statuses are those of the API, or the words for them. */
function valuesOf(filter: string, value: string): readonly string[] {
  const lower = value.trim().toLowerCase()
  const named = filter === 'status' ? SEARCH_STATUSES.filter((status) => statusWord(status) === lower) : []
  return named.length > 0 ? named : [lower]
}
