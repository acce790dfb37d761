import { SUBJECTS } from '../trace-store.ts'
import type {
  SpanPage,
  StoredSpanRow,
  Subject,
  TraceFilter,
  TracePage,
  TraceRow,
  TraceTotals,
} from '../trace-store.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { earliestFirst, spansIn } from './span-chunks.ts'
import { StatementCache } from './statement-cache.ts'

const COLUMNS = `t.number, t.trace_id AS traceId, n.name, t.kind, t.status, t.started_at AS startedAt,
  t.ended_at AS endedAt, t.span_count AS spanCount, t.input_tokens AS inputTokens, t.output_tokens AS outputTokens,
  t.entity_type AS entityType, t.entity_id AS entityId, t.entity_name AS entityName`
const FROM = 'FROM traces t JOIN trace_names n ON n.id = t.name'

/** The rarest first: an index on it leads to the fewest traces. */
const BY_RARITY = [
  'executionId',
  'conversationId',
  'userId',
  'agentId',
  'workflowId',
] as const satisfies Subject[]
/** With more names than these, traces that fit are everywhere. */
const MOST_NAMES = 20

interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Reads traces with statements that are prepared once. */
export class TraceReader {
  readonly #get: Statement
  readonly #epoch: number
  readonly #places: Statement
  readonly #chunk: Statement
  readonly #chunksAround: Statement
  readonly #totals: Statement
  readonly #filtered: StatementCache

  constructor(database: Database, epoch: number) {
    this.#epoch = epoch
    const prepare = (sql: string) => database.prepare(sql)
    this.#filtered = new StatementCache(database)
    this.#get = prepare(`SELECT ${COLUMNS} ${FROM} WHERE t.trace_id = ?`)
    const chunk = 'c.number, c.epoch, c.spans, t.trace_id AS traceId'
    this.#places = prepare(
      `SELECT c.number, c.first_id AS first FROM traces t JOIN span_chunks c ON c.trace = t.number
       WHERE t.trace_id = ? AND c.last_id > ? ORDER BY c.first_id`,
    )
    this.#chunk = prepare(
      `SELECT ${chunk} FROM span_chunks c JOIN traces t ON t.number = c.trace WHERE c.number = ?`,
    )
    this.#chunksAround = prepare(
      `SELECT ${chunk} FROM span_chunks c JOIN traces t ON t.number = c.trace
       WHERE c.first_id BETWEEN ? AND ? AND c.last_id >= ? ORDER BY c.number DESC`,
    )
    this.#totals = prepare('SELECT traces, spans FROM trace_totals')
  }

  get(traceId: string): TraceRow | undefined {
    const [row] = this.#get.all(traceId)
    return row === undefined ? undefined : traceRow(row as FlatRow)
  }

  /** Chunks overlap: all are read that may have a span of the page, or a later word on one. */
  spans(traceId: string, { limit, after = '' }: SpanPage): StoredSpanRow[] {
    const found = new Map<string, StoredSpanRow & { readonly chunk: number }>()
    let last: string | undefined
    for (const { number, first } of this.#places.all(traceId, after) as ChunkPlace[]) {
      if (last !== undefined && first > last) break
      for (const span of this.#spansOf(this.#chunk.get(number) as ChunkRow)) {
        const isNews = (found.get(span.spanId)?.chunk ?? -1) < number
        if (span.spanId > after && isNews) found.set(span.spanId, { ...span, chunk: number })
      }
      if (found.size >= limit) last ??= [...found.keys()].toSorted()[limit - 1]
    }
    return [...found.values()]
      .toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
      .slice(0, limit)
      .map(({ chunk: _, ...span }) => span)
  }

  span(spanId: string): StoredSpanRow | undefined {
    for (const chunk of this.#chunksAround.all(earliestFirst(spanId), spanId, spanId) as ChunkRow[]) {
      const span = this.#spansOf(chunk).find((one) => one.spanId === spanId)
      if (span) return span
    }
    return undefined
  }

  #spansOf({ traceId, epoch, spans }: ChunkRow): StoredSpanRow[] {
    return spansIn(spans).map((span) => ({ ...span, traceId, isLeft: epoch < this.#epoch }))
  }

  totals(): TraceTotals {
    const { traces, spans } = this.#totals.get() as TraceTotals
    return { traces, spans }
  }

  list(filter: TraceFilter, page: TracePage): TraceRow[] {
    const conditions = conditionsOf(filter, page)
    const lists = this.#sources(filter).map((source) => this.#page(source, conditions, page.limit))
    const [only = []] = lists
    const rows = lists.length === 1 ? only : lists.flat().toSorted(newestFirst).slice(0, page.limit)
    return rows.map((row) => traceRow(row))
  }

  /** Where to look, each in the order of a list: an index that leads to few traces, where the filter allows. */
  #sources({ words, ...filter }: TraceFilter): readonly Source[] {
    const ids = words && this.#namesWith(words)
    const few = ids !== undefined && ids.length <= MOST_NAMES
    const named = ids && { sql: `t.name IN (${ids.join(', ')})`, values: [] }
    const subject = BY_RARITY.find((one) => filter[one] !== undefined)
    if (subject === undefined && few)
      return ids.map((id) => ({ ...PLAIN, conditions: [{ sql: 't.name = ?', values: [id] }] }))
    if (ids?.length === 0) return []
    const rest = named ? [named] : []
    if (subject === undefined) return [{ ...PLAIN, conditions: rest }]
    const id = filter[subject] as string
    const isSubject = { sql: 's.subject = ? AND s.id = ?', values: [SUBJECTS.indexOf(subject), id] }
    return [{ ...OF_SUBJECT, conditions: [isSubject, ...rest] }]
  }

  #namesWith(words: readonly string[]): number[] {
    const sql = `SELECT id FROM trace_names WHERE ${words.map(() => String.raw`name LIKE ? ESCAPE '\'`).join(' AND ')}`
    const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
    return (this.#filtered.get(sql).all(...patterns) as { id: number }[]).map(({ id }) => id)
  }

  #page(source: Source, conditions: readonly Condition[], limit: number): FlatRow[] {
    const all = [...source.conditions, ...conditions]
    const where = all.length === 0 ? '' : `WHERE ${all.map(({ sql }) => sql).join(' AND ')}`
    const sql = `SELECT ${COLUMNS} ${source.from} ${where.replaceAll('@', source.table)}
      ORDER BY ${source.table}.started_at DESC, ${source.key} DESC LIMIT ?`
    const values = all.flatMap((condition) => condition.values)
    return this.#filtered.get(sql).all(...values, limit) as FlatRow[]
  }
}

interface Source {
  readonly from: string
  /** What is read in order, and its column that holds the trace's number. */
  readonly table: string
  readonly key: string
  readonly conditions: readonly Condition[]
}

const PLAIN = { from: FROM, table: 't', key: 't.number' }
const OF_SUBJECT = {
  from: 'FROM trace_subjects s CROSS JOIN traces t ON t.number = s.trace JOIN trace_names n ON n.id = t.name',
  table: 's',
  key: 's.trace',
}

/** `@` stands for the table that is read in order. */
function conditionsOf(filter: TraceFilter, { after }: TracePage): Condition[] {
  const { status, from, to, minDurationMs } = filter
  const [first, ...others] = BY_RARITY.filter((subject) => filter[subject] !== undefined)
  const number = first === undefined ? 't.number' : 's.trace'
  return [
    ...(status === undefined ? [] : [{ sql: statusIs(status), values: [status] }]),
    ...(from === undefined ? [] : [{ sql: '@.started_at > ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: '@.started_at < ?', values: [to] }]),
    ...(minDurationMs === undefined
      ? []
      : [{ sql: 't.ended_at - t.started_at >= ?', values: [minDurationMs] }]),
    ...(after === undefined
      ? []
      : [
          {
            sql: `@.started_at <= ? AND (@.started_at, ${number}) < (?, ?)`,
            values: [after.startedAt, after.startedAt, after.number],
          },
        ]),
    ...others.map((subject) => ({
      sql: 'EXISTS (SELECT 1 FROM trace_subjects o WHERE o.trace = t.number AND o.subject = ? AND o.id = ?)',
      values: [SUBJECTS.indexOf(subject), filter[subject] as string],
    })),
  ]
}

/** Says which index serves. */
function statusIs(status: string): string {
  return status === 'ok' ? 't.status = ?' : "t.status = ? AND t.status <> 'ok'"
}

interface ChunkPlace {
  readonly number: number
  /** The id of its first span. */
  readonly first: string
}

interface ChunkRow {
  readonly number: number
  readonly epoch: number
  readonly spans: string
  readonly traceId: string
}

interface FlatRow extends Omit<TraceRow, 'entity' | 'usage'> {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly entityType: 'workflow' | 'agent' | 'tool' | 'mcp' | null
  readonly entityId: string | null
  readonly entityName: string | null
}

function newestFirst(a: FlatRow, b: FlatRow): number {
  return b.startedAt - a.startedAt || b.number - a.number
}

function traceRow({
  inputTokens,
  outputTokens,
  entityType,
  entityId,
  entityName,
  ...row
}: FlatRow): TraceRow {
  return {
    ...row,
    entity:
      entityType === null
        ? undefined
        : { type: entityType, id: entityId ?? '', name: entityName ?? entityId ?? '' },
    usage:
      inputTokens === null && outputTokens === null
        ? undefined
        : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 },
  }
}
