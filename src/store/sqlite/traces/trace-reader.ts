import { ENTITY_OF, SUBJECTS } from '../../trace-store.ts'
import type {
  SpanPage,
  StoredSpan,
  Subject,
  TraceFilter,
  TracePage,
  TraceRow,
  TraceTotals,
} from '../../trace-store.ts'
import type { Database, SqlValue, Statement } from '../driver.ts'
import { chunkTimes, hasSpan, spansIn } from '../../rows/traces/span-chunks.ts'
import { firstChunk, traceOfChunk } from './chunk-numbers.ts'
import { StatementCache } from '../statement-cache.ts'
import {
  MAX_TITLE_QUERIES,
  SUBJECTS_BY_SELECTIVITY,
  traceOfColumns,
} from '../../rows/traces/trace-columns.ts'
import type { TraceColumns } from '../../rows/traces/trace-columns.ts'
import { patternOf, wordsIn } from '../../rows/word-search.ts'

const COLUMNS = `t.number, t.trace_id AS traceId, n.name, t.kind, t.status, t.started_at AS startedAt,
  t.ended_at AS endedAt, t.span_count AS spanCount, t.input_tokens AS inputTokens, t.output_tokens AS outputTokens,
  t.cost_nano AS costNano,
  n.entity_type AS entityType, n.entity_id AS entityId, n.entity_name AS entityName`
const FROM = 'FROM traces t JOIN trace_titles n ON n.id = t.title'

interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Queries of traces. */
export class TraceReader {
  readonly #get: Statement
  readonly #ownerEpoch: number
  readonly #places: Statement
  readonly #chunk: Statement
  readonly #chunksAround: Statement
  readonly #traceId: Statement
  readonly #totals: Statement
  readonly #filtered: StatementCache

  constructor(database: Database, ownerEpoch: number) {
    this.#ownerEpoch = ownerEpoch
    const prepare = (sql: string) => database.prepare(sql)
    this.#filtered = new StatementCache(database)
    this.#get = prepare(`SELECT ${COLUMNS} ${FROM} WHERE t.trace_id = ?`)
    this.#places = prepare(
      `SELECT number, first_at AS firstAt FROM span_chunks WHERE number >= ? AND number < ? AND last_at >= ?
       ORDER BY first_at, number`,
    )
    this.#chunk = prepare('SELECT number, owner_epoch AS ownerEpoch, spans FROM span_chunks WHERE number = ?')
    this.#chunksAround = prepare(
      `SELECT number, owner_epoch AS ownerEpoch, spans FROM span_chunks
       WHERE first_at BETWEEN ? AND ? AND last_at >= ? ORDER BY number DESC`,
    )
    this.#traceId = prepare('SELECT trace_id AS traceId FROM traces WHERE number = ?')
    this.#totals = prepare('SELECT traces, spans FROM trace_totals')
  }

  get(traceId: string): TraceRow | undefined {
    const [row] = this.#get.all(traceId)
    return row === undefined ? undefined : traceOfColumns(row as TraceColumns)
  }

  /** Chunks overlap in time: all chunks are read that may contain a span of the page, or a later version of one. */
  spans(traceId: string, { limit, after = '' }: SpanPage): StoredSpan[] {
    const number = this.get(traceId)?.number
    if (number === undefined) return []
    const since = after === '' ? 0 : chunkTimes(after).at
    const found = new Map<string, StoredSpan & { readonly chunk: number }>()
    let last: number | undefined
    const places = this.#places.all(firstChunk(number), firstChunk(number + 1), since) as ChunkPosition[]
    for (const { number: chunk, firstAt } of places) {
      if (last !== undefined && firstAt > last) break
      for (const span of this.#spansOf(this.#chunk.get(chunk) as ChunkRow, traceId)) {
        const isLater = (found.get(span.spanId)?.chunk ?? -1) < chunk
        if (span.spanId > after && isLater) found.set(span.spanId, { ...span, chunk })
      }
      if (found.size >= limit) last ??= chunkTimes([...found.keys()].toSorted()[limit - 1] ?? '').at
    }
    return [...found.values()]
      .toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
      .slice(0, limit)
      .map(({ chunk: _, ...span }) => span)
  }

  span(spanId: string): StoredSpan | undefined {
    const { at, from } = chunkTimes(spanId)
    const chunks = this.#chunksAround.all(from, at, at) as ChunkRow[]
    const chunk = chunks.find(({ spans }) => hasSpan(spans, spanId))
    const trace = chunk && (this.#traceId.get(traceOfChunk(chunk.number)) as { traceId: string } | undefined)
    return trace && this.#spansOf(chunk, trace.traceId).find((one) => one.spanId === spanId)
  }

  #spansOf({ ownerEpoch, spans }: ChunkRow, traceId: string): StoredSpan[] {
    return spansIn(spans).map((span) => ({ ...span, traceId, isOrphaned: ownerEpoch < this.#ownerEpoch }))
  }

  totals(): TraceTotals {
    const { traces, spans } = this.#totals.get() as TraceTotals
    return { traces, spans }
  }

  list(filter: TraceFilter, page: TracePage): TraceRow[] {
    const lists = this.#sources(filter).map((source) =>
      this.#page(source, conditionsOf(filter, { page, source }), page.limit),
    )
    const [only = []] = lists
    const rows = lists.length === 1 ? only : uniqueTraces(lists.flat()).toSorted(newestFirst)
    return rows.slice(0, page.limit).map((row) => traceOfColumns(row))
  }

  /** The queries to merge, each in list order and with the most selective index that the filter allows. */
  #sources({ words, ...filter }: TraceFilter): readonly Source[] {
    const titles = words && this.#titlesWith(words)
    if (titles?.length === 0) return []
    const subject = SUBJECTS_BY_SELECTIVITY.find((one) => filter[one] !== undefined)
    if (subject === undefined) return titles ? ofTitles(titles) : [PLAIN]
    const id = filter[subject] as string
    const rest = titles ? [isTitled(titles)] : []
    const isSubject = { sql: 's.subject = ? AND s.id = ?', values: [SUBJECTS.indexOf(subject), id] }
    return [{ ...OF_SUBJECT, conditions: [isSubject, ...rest] }, ...this.#entitySources(subject, id, titles)]
  }

  /** Queries of traces whose own row or title has the subject. */
  #entitySources(subject: Subject, id: string, titles: readonly number[] | undefined): readonly Source[] {
    if (subject === 'executionId') {
      const rest = titles ? [isTitled(titles)] : []
      return [{ ...PLAIN, conditions: [{ sql: 't.execution_id = ?', values: [id] }, ...rest] }]
    }
    const type = ENTITY_OF[subject]
    if (type === undefined) return []
    const sql = 'SELECT id FROM trace_titles WHERE entity_type = ? AND entity_id = ?'
    const found = (this.#filtered.get(sql).all(type, id) as { id: number }[]).map((row) => row.id)
    return ofTitles(titles ? found.filter((one) => titles.includes(one)) : found)
  }

  #titlesWith(words: readonly string[]): number[] {
    const sql = `SELECT id, name FROM trace_titles WHERE ${words.map(() => "name LIKE ? ESCAPE '!'").join(' AND ')}`
    const hasWords = wordsIn(words) ?? (() => true)
    const found = this.#filtered.get(sql).all(...words.map((word) => patternOf(word)))
    return (found as { id: number; name: string }[]).filter(({ name }) => hasWords(name)).map(({ id }) => id)
  }

  #page(source: Source, conditions: readonly Condition[], limit: number): TraceColumns[] {
    const all = [...source.conditions, ...conditions]
    const where = all.length === 0 ? '' : `WHERE ${all.map(({ sql }) => sql).join(' AND ')}`
    const sql = `SELECT ${COLUMNS} ${source.from} ${where}
      ORDER BY ${source.table}.started_at DESC, ${source.key} DESC LIMIT ?`
    const values = all.flatMap((condition) => condition.values)
    return this.#filtered.get(sql).all(...values, limit) as TraceColumns[]
  }
}

interface Source {
  readonly from: string
  /** Alias of the table that is read in order, and its column with the trace's number. */
  readonly table: string
  readonly key: string
  readonly conditions: readonly Condition[]
}

const PLAIN: Source = { from: FROM, table: 't', key: 't.number', conditions: [] }
const OF_SUBJECT = {
  from: 'FROM trace_subjects s CROSS JOIN traces t ON t.number = s.trace JOIN trace_titles n ON n.id = t.title',
  table: 's',
  key: 's.trace',
}

/** A query for each title, which an index returns in order; one scan for many titles. */
function ofTitles(titles: readonly number[]): readonly Source[] {
  if (titles.length > MAX_TITLE_QUERIES) return [{ ...PLAIN, conditions: [isTitled(titles)] }]
  return titles.map((id) => ({ ...PLAIN, conditions: [{ sql: 't.title = ?', values: [id] }] }))
}

function isTitled(titles: readonly number[]): Condition {
  return { sql: `t.title IN (${titles.join(', ')})`, values: [] }
}

interface PageOfSource {
  readonly page: TracePage
  readonly source: Source
}

function conditionsOf(
  filter: TraceFilter,
  { page: { after }, source: { table, key } }: PageOfSource,
): Condition[] {
  const { status, from, to, minDurationMs } = filter
  const [, ...others] = SUBJECTS_BY_SELECTIVITY.filter((subject) => filter[subject] !== undefined)
  const startedAt = `${table}.started_at`
  return [
    ...(status === undefined ? [] : [{ sql: statusIs(status), values: [status] }]),
    ...(from === undefined ? [] : [{ sql: `${startedAt} > ?`, values: [from] }]),
    ...(to === undefined ? [] : [{ sql: `${startedAt} < ?`, values: [to] }]),
    ...(minDurationMs === undefined
      ? []
      : [{ sql: 't.ended_at - t.started_at >= ?', values: [minDurationMs] }]),
    ...(after === undefined
      ? []
      : [
          {
            sql: `${startedAt} <= ? AND (${startedAt}, ${key}) < (?, ?)`,
            values: [after.startedAt, after.startedAt, after.number],
          },
        ]),
    ...others.map((subject) => hasSubject(subject, filter[subject] as string)),
  ]
}

function hasSubject(subject: Subject, id: string): Condition {
  const row =
    'EXISTS (SELECT 1 FROM trace_subjects o WHERE o.trace = t.number AND o.subject = ? AND o.id = ?)'
  const values = [SUBJECTS.indexOf(subject), id]
  if (subject === 'executionId') return { sql: `(t.execution_id = ? OR ${row})`, values: [id, ...values] }
  const type = ENTITY_OF[subject]
  if (type === undefined) return { sql: row, values }
  return { sql: `((n.entity_type = ? AND n.entity_id = ?) OR ${row})`, values: [type, id, ...values] }
}

/** A condition with the term of the partial index, without which SQLite does not use it. */
function statusIs(status: string): string {
  return status === 'ok' ? 't.status = ?' : "t.status = ? AND t.status <> 'ok'"
}

interface ChunkPosition {
  readonly number: number
  readonly firstAt: number
}

interface ChunkRow {
  readonly number: number
  readonly ownerEpoch: number
  readonly spans: string
}

/** Removes duplicates: several queries may find a trace. */
function uniqueTraces(rows: readonly TraceColumns[]): TraceColumns[] {
  return [...new Map(rows.map((row) => [row.number, row])).values()]
}

function newestFirst(a: TraceColumns, b: TraceColumns): number {
  return b.startedAt - a.startedAt || b.number - a.number
}
