import type { SearchResult, MatchField } from '../../contract/endpoints/search.ts'
import { parseSearch } from '../../contract/search/search-query.ts'
import type { SearchTerm } from '../../contract/search/search-query.ts'
import { toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { FoundRecord, SearchFilter, SearchPage, SearchRecord } from '../../store/search/search-store.ts'
import type { Store } from '../../store/store.ts'
import { flushWithin } from '../../lib/async/flush-within.ts'
import { readableJson } from './search-document.ts'
import { loggedIn } from './search-index.ts'
import type { SearchIndex } from './search-index.ts'

/** The time for indexing what has just happened before a search. */
const MAX_WAIT_MS = 20

export interface FoundResult extends SearchResult {
  /** The id of the user whom an execution belongs to, by its key. */
  readonly owner: string | null
}

export interface SearchPageResult {
  readonly results: readonly FoundResult[]
  /** Cursor of the next page; `undefined` on the last. */
  readonly next: string | undefined
}

/** Searches of executions and agent runs. */
export class SearchQueries {
  readonly #store: Pick<Store, 'search' | 'logs'>
  readonly #index: Pick<SearchIndex, 'advance' | 'indexedUntil'>
  readonly #clock: Clock

  constructor(options: {
    readonly store: Pick<Store, 'search' | 'logs'>
    readonly index: Pick<SearchIndex, 'advance' | 'indexedUntil'>
    readonly clock: Clock
  }) {
    this.#store = options.store
    this.#index = options.index
    this.#clock = options.clock
  }

  /**
   * The filter of the store for the text of a search, after what has just happened was indexed.
   *
   * @throws AppError `invalid_input` if the text is not valid
   */
  async filterOf(text: string): Promise<SearchFilter> {
    const { query, problem } = parseSearch(text)
    if (!query) throw new AppError('invalid_input', `q: ${problem}`)
    const until = performance.now() + MAX_WAIT_MS
    await flushWithin(MAX_WAIT_MS, async () => {
      while (performance.now() < until && (await this.#index.advance())) continue
    })
    const { terms, facets, lastMs } = query
    return { terms, facets, from: lastMs === undefined ? undefined : this.#clock.now() - lastMs }
  }

  /** The time up to which changes are found, in milliseconds since the epoch. */
  get indexedUntil(): number {
    return this.#index.indexedUntil
  }

  /** Newest first. */
  async find(filter: SearchFilter, { limit, before }: SearchPage): Promise<SearchPageResult> {
    const found = await this.#store.search.find(filter, { limit: limit + 1, before })
    const shown = found.slice(0, limit)
    const matches = await Promise.all(shown.map((record) => this.#matchOf(record, filter.terms)))
    return {
      results: shown.map((record, index) => resultOf(record, matches[index] ?? null)),
      next: found.length > limit ? shown.at(-1)?.position : undefined,
    }
  }

  async #matchOf(record: FoundRecord, terms: readonly SearchTerm[]): Promise<SearchResult['match']> {
    if (terms.length === 0) return null
    const match = excerptOf(record, terms)
    if (match || isNamed(record, terms)) return match ?? null
    const logged = await loggedIn(this.#store.logs, record)
    return (
      firstMatch(
        logged.map((message) => ['log', message] as const),
        terms,
      ) ?? null
    )
  }
}

/** Whether the ids and names of a record have a term. */
function isNamed(record: FoundRecord, terms: readonly SearchTerm[]): boolean {
  const { id, subjectId, subjectName, userId, conversationId, traceId, parentId } = record
  const names = [id, subjectId, subjectName, userId, conversationId, traceId, parentId, record.user]
  const texts = names.flatMap((text) => (text === null ? [] : [['input', text] as const]))
  return firstMatch(texts, terms) !== undefined
}

function resultOf(record: FoundRecord, match: SearchResult['match']): FoundResult {
  const { kind, id, subjectId, subjectName, status, createdAt, endedAt } = record
  const { userId, conversationId, traceId, parentId, owner } = record
  return {
    kind,
    id,
    subjectId,
    subjectName,
    status: status as SearchResult['status'],
    createdAt: toIso(createdAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    userId,
    conversationId,
    traceId,
    parentId,
    ...(record.requester === 'lab' && { trial: true as const }),
    match,
    owner,
  }
}

/** Characters before and after a match. */
const BEFORE = 60

const AFTER = 140

/** The text around the first of the terms in a record; `undefined` if its texts have none of them. */
function excerptOf(
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

function firstMatch(
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
