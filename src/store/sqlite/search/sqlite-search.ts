import type {
  FoundRecord,
  IndexedChanges,
  OutdatedRecords,
  SearchDocument,
  SearchFilter,
  SearchPage,
  SearchRecord,
  SearchStore,
} from '../../search/search-store.ts'
import { facetToken } from '../../search/facet-token.ts'
import { firstChangeAt } from '../../search/search-store.ts'
import type { Database, SqlValue, Statement } from '../driver.ts'
import { StatementCache } from '../statement-cache.ts'
import { inTransaction } from '../transaction.ts'
import { matchExpression } from './match-expression.ts'
import { SearchRecords } from './search-records.ts'

/** Numbers of documents per millisecond of their records. */
const NUMBERS_PER_MS = 1024
const KINDS = ['execution', 'run'] as const

interface Change {
  readonly number: number
  readonly record: number
  /** Whether a later change follows. */
  readonly isLast: number
}

interface DocumentRow {
  readonly number: number
  readonly kind: 0 | 1
  readonly record: number
}

/** Pages of the index that one turn writes. */
const MERGED_PAGES = 64

/** The words of deleted documents, which FTS5 only marks as deleted. */
export interface DeletedWords {
  /** Rewrites a part of the index without them. Returns whether there is more to do. */
  mergeDeleted(isFirst: boolean): boolean
}

/** The full-text index in SQLite, with FTS5. */
export class SqliteSearch implements SearchStore, DeletedWords {
  readonly #database: Database
  readonly #records: SearchRecords
  readonly #milestones: Statement
  readonly #beginning: Statement
  readonly #changes: Statement
  readonly #progress: Statement
  readonly #advance: Statement
  readonly #forget: Statement
  readonly #exists: readonly [Statement, Statement]
  readonly #numberOf: Statement
  readonly #freeNumber: Statement
  readonly #add: Statement
  readonly #putWords: Statement
  readonly #merge: Statement
  readonly #changed: Statement
  readonly #found: StatementCache

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#records = new SearchRecords(database)
    this.#found = new StatementCache(database)
    this.#milestones = prepare(
      `SELECT milestone AS number, execution AS record, NOT EXISTS (
         SELECT 1 FROM journal later
         WHERE later.execution = journal.execution AND later.seq > journal.seq AND later.milestone IS NOT NULL
       ) AS isLast
       FROM journal WHERE milestone > (SELECT milestone FROM search_progress) ORDER BY milestone LIMIT ?`,
    )
    this.#beginning = prepare('SELECT substr(events, 1, 1024) AS events FROM journal WHERE milestone = ?')
    this.#changes = prepare(
      'SELECT number, run AS record, 1 AS isLast FROM search_changes ORDER BY number LIMIT ?',
    )
    this.#progress = prepare('SELECT milestone FROM search_progress')
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

  async outdated(limit: number): Promise<OutdatedRecords> {
    const { milestone: from } = this.#progress.get() as { milestone: number }
    const executions = this.#milestones.all(limit) as Change[]
    const runs = this.#changes.all(Math.max(1, limit - executions.length)) as Change[]
    if (executions.length === 0 && runs.length === 0) return { records: [], changes: undefined }
    const numbersOf = (changes: readonly Change[]) => [
      ...new Set(changes.filter(({ isLast }) => isLast).map(({ record }) => record)),
    ]
    const runRecords = this.#records.runs(numbersOf(runs))
    return {
      records: [...this.#records.executions(numbersOf(executions)), ...runRecords],
      changes: {
        milestones: { from, to: executions.at(-1)?.number ?? from },
        runs: runs.map(({ number }) => number),
      },
      since: firstChangeAt(this.#eventsAt(executions[0]?.number), runRecords),
    }
  }

  #eventsAt(milestone: number | undefined): string | undefined {
    if (milestone === undefined) return undefined
    return (this.#beginning.get(milestone) as { events: string } | undefined)?.events
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

  async find(filter: SearchFilter, page: SearchPage): Promise<readonly FoundRecord[]> {
    const { sql, values } = selectionOf(filter, page)
    const rows = this.#found.get(sql).all(...values) as DocumentRow[]
    const numbersOf = (kind: DocumentRow['kind']) =>
      rows.filter((row) => row.kind === kind).map(({ record }) => record)
    const records = [...this.#records.executions(numbersOf(0)), ...this.#records.runs(numbersOf(1))]
    const keyOf = (kind: SearchRecord['kind'], number: number) => `${kind} ${number}`
    const byKey = new Map(records.map((record) => [keyOf(record.kind, record.number), record]))
    return rows.flatMap(({ number, kind, record }) => {
      const found = byKey.get(keyOf(KINDS[kind], record))
      return found ? { ...found, position: String(number) } : []
    })
  }

  mergeDeleted(isFirst: boolean): boolean {
    const changed = () => (this.#changed.get() as { rows: number }).rows
    const before = changed()
    // a negative number of pages begins to merge all of the index: https://sqlite.org/fts5.html#the_merge_command
    this.#merge.run(isFirst ? -MERGED_PAGES : MERGED_PAGES)
    return changed() - before >= 2
  }

  #put({ record, words, facets }: SearchDocument): void {
    const kind = KINDS.indexOf(record.kind) as DocumentRow['kind']
    // a record may have been deleted since it was read
    if (this.#exists[kind].all(record.number).length === 0) return
    const number = this.#numberFor(kind, record)
    this.#putWords.run(number, words.join(' '), facets.map((facet) => facetToken(facet)).join(' '))
  }

  #numberFor(kind: DocumentRow['kind'], record: SearchDocument['record']): number {
    const [known] = this.#numberOf.all(kind, record.number) as { number: number }[]
    if (known) return known.number
    for (let base = record.createdAt * NUMBERS_PER_MS; ; base += NUMBERS_PER_MS) {
      const { number } = this.#freeNumber.get(base) as { number: number }
      if (Number(this.#add.run(number, kind, record.number).changes) > 0) return number
    }
  }
}

function selectionOf(
  filter: SearchFilter,
  { limit, before }: SearchPage,
): { sql: string; values: SqlValue[] } {
  const match = matchExpression(filter)
  const { from, openTo } = filter
  // the row id of the text is compared, as FTS5 then reads only that part of its lists
  const number = match === undefined ? 'd.number' : 't.rowid'
  const conditions: (readonly [text: string, values: readonly SqlValue[]])[] = [
    ...(match === undefined ? [] : [['search_text MATCH ?', [match]] as const]),
    ...(from === undefined ? [] : [[`${number} >= ?`, [Math.trunc(from) * NUMBERS_PER_MS]] as const]),
    ...(before === undefined ? [] : [[`${number} < ?`, [Number(before)]] as const]),
    ...(openTo ? [[OPEN_TO, [openTo.owner, openTo.userId]] as const] : []),
  ]
  const where = conditions.map(([text]) => text)
  const tables =
    match === undefined ? 'search_documents d' : 'search_text t JOIN search_documents d ON d.number = t.rowid'
  return {
    sql: `SELECT d.number, d.kind, d.record FROM ${tables}
      ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY ${number} DESC LIMIT ?`,
    values: [...conditions.flatMap(([, values]) => values), limit],
  }
}

const OPEN_TO = `CASE d.kind
  WHEN 0 THEN EXISTS (SELECT 1 FROM executions WHERE number = d.record AND (owner IS NULL OR owner = ?))
  ELSE EXISTS (SELECT 1 FROM agent_runs WHERE number = d.record AND user_id IS ?) END`
