import { SEARCH_KINDS } from '../../../contract/search/search-query.ts'
import type { SearchFacet } from '../../../contract/search/search-query.ts'
import { facetToken } from '../../search/facet-token.ts'
import type {
  IndexedChanges,
  SearchDocument,
  SearchFilter,
  SearchPage,
  SearchStore,
} from '../../search/search-store.ts'
import { given } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { OPEN_TO, selectionOf, SqlSearch } from '../../sql/search.ts'
import type { Sql } from '../../sql/sql.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'

/** Numbers of documents per millisecond of their records. */
const NUMBERS_PER_MS = 1024

/** Pages of the index that one turn writes. */
const MERGED_PAGES = 64

/** The full-text index in SQLite, with FTS5. */
export class SqliteSearch extends SqlSearch implements SearchStore {
  readonly #database: Database
  readonly #advance: Statement
  readonly #forget: Statement
  readonly #exists: readonly [Statement, Statement]
  readonly #numberOf: Statement
  readonly #freeNumber: Statement
  readonly #add: Statement
  readonly #putWords: Statement
  readonly #merge: Statement
  readonly #changed: Statement

  constructor(database: Database, sql: Sql) {
    super(sql, sql)
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#advance = prepare('UPDATE search_progress SET milestone = ? WHERE milestone = ?')
    this.#forget = prepare('DELETE FROM search_changes WHERE number IN (SELECT value FROM json_each(?))')
    this.#exists = [
      prepare('SELECT 1 FROM executions WHERE number = ?'),
      prepare('SELECT 1 FROM agent_runs WHERE number = ?'),
    ]
    this.#numberOf = prepare('SELECT number FROM search_documents WHERE kind = ? AND record = ?')
    this.#freeNumber = prepare(
      `SELECT coalesce(max(number) + 1, ?1) AS number FROM search_documents
       WHERE number >= ?1 AND number < ?1 + ${NUMBERS_PER_MS}`,
    )
    this.#add = prepare(
      'INSERT INTO search_documents (number, kind, record) VALUES (?, ?, ?) ON CONFLICT (number) DO NOTHING',
    )
    this.#merge = prepare("INSERT INTO search_text (search_text, rank) VALUES ('merge', ?)")
    this.#changed = prepare('SELECT total_changes() AS rows')
    this.#putWords = prepare('INSERT OR REPLACE INTO search_text (rowid, words, facets) VALUES (?, ?, ?)')
  }

  async index(
    documents: readonly SearchDocument[],
    { milestones: { from, to }, runs }: IndexedChanges,
  ): Promise<boolean> {
    return inTransaction(this.#database, () => {
      if (Number(this.#advance.run(to, from).changes) === 0) return false
      this.#forget.run(JSON.stringify(runs))
      for (const document of documents) this.#put(document)
      return true
    })
  }

  /** Rewrites a part of the index without the words of deleted documents, which FTS5 only marks. Returns whether there is more. */
  mergeDeleted(isFirst: boolean): boolean {
    const changed = () => (this.#changed.get() as { rows: number }).rows
    const before = changed()
    // a negative number of pages begins to merge all of the index: https://sqlite.org/fts5.html#the_merge_command
    this.#merge.run(isFirst ? -MERGED_PAGES : MERGED_PAGES)
    return changed() - before >= 2
  }

  #put({ record, words, facets }: SearchDocument): void {
    const kind = SEARCH_KINDS.indexOf(record.kind) as 0 | 1
    // a record may have been deleted since it was read
    if (this.#exists[kind].all(record.number).length === 0) return
    const number = this.#numberFor(kind, record)
    this.#putWords.run(number, words.join(' '), facets.map((facet) => facetToken(facet)).join(' '))
  }

  #numberFor(kind: 0 | 1, record: SearchDocument['record']): number {
    const [known] = this.#numberOf.all(kind, record.number) as { number: number }[]
    if (known) return known.number
    for (let base = record.createdAt * NUMBERS_PER_MS; ; base += NUMBERS_PER_MS) {
      const { number } = this.#freeNumber.get(base) as { number: number }
      if (Number(this.#add.run(number, kind, record.number).changes) > 0) return number
    }
  }

  protected selection(filter: SearchFilter, { before }: SearchPage): Condition {
    const match = matchExpression(filter)
    const { from, openTo } = filter
    // the row id of the text is compared, as FTS5 then reads only that part of its lists
    const number = match === undefined ? 'd.number' : 't.rowid'
    const tables =
      match === undefined
        ? 'search_documents d'
        : 'search_text t JOIN search_documents d ON d.number = t.rowid'
    return selectionOf(
      `CAST(d.number AS TEXT) AS position FROM ${tables}`,
      [
        ...given(match, (words) => ({ text: 'search_text MATCH ?', values: [words] })),
        ...given(from, (at) => ({ text: `${number} >= ?`, values: [Math.trunc(at) * NUMBERS_PER_MS] })),
        ...given(before, (position) => ({ text: `${number} < ?`, values: [Number(position)] })),
        ...given(openTo, ({ owner, userId }) => ({ text: OPEN_TO, values: [owner, userId] })),
      ],
      `${number} DESC`,
    )
  }
}

type Words = Pick<SearchFilter, 'terms' | 'facets'>

/** The condition of the executions that a filter finds. */
export function foundByMatch(filter: Words): Condition[] {
  return given(matchExpression(filter), (words) => ({ text: FOUND, values: [words] }))
}

const FOUND = `number IN (SELECT record FROM search_documents WHERE kind = 0
  AND number IN (SELECT rowid FROM search_text WHERE search_text MATCH ?))`

/** The MATCH expression of a filter; `undefined` if it matches everything. */
function matchExpression({ terms, facets }: Words): string | undefined {
  const parts = [
    ...terms.map(({ words, isPrefix }) => `words : "${words.join(' ')}"${isPrefix ? ' *' : ''}`),
    ...(Object.keys(facets) as SearchFacet[]).map((facet) => {
      const tokens = (facets[facet] ?? []).map((value) => `"${facetToken([facet, value])}"`)
      return `facets : (${tokens.join(' OR ')})`
    }),
  ]
  return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' AND ')
}
