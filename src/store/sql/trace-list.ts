import type { TraceEntity } from '../../contract/endpoints/trace.ts'
import { patternOf, wordsIn } from '../rows/like-pattern.ts'
import { ENTITY_OF, SUBJECTS } from '../trace-store.ts'
import type { Subject, TraceFilter, TracePage, TraceRow } from '../trace-store.ts'
import { given, valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Sql } from './sql.ts'

/** Subjects, the most selective first: the index of the first one in a filter selects the traces. */
const SUBJECTS_BY_SELECTIVITY = [
  'executionId',
  'conversationId',
  'userId',
  'agentId',
  'workflowId',
] as const satisfies Subject[]

/** Maximum number of titles with a query each; with more, most traces match and one scan is faster. */
const MAX_TITLE_QUERIES = 20

/** A trace as the columns of one row. */
interface TraceColumns extends Omit<TraceRow, 'entity' | 'usage'> {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costNano: number | null
  /** Empty without an entity. */
  readonly entityType: TraceEntity['type'] | ''
  readonly entityId: string
  readonly entityName: string
}

const COLUMNS = `t.number, t.trace_id AS "traceId", n.name, t.kind, coalesce(t.status, 'ok') AS status,
  t.started_at AS "startedAt", t.ended_at AS "endedAt", t.span_count AS "spanCount",
  t.input_tokens AS "inputTokens", t.output_tokens AS "outputTokens", t.cost_nano AS "costNano",
  n.entity_type AS "entityType", n.entity_id AS "entityId", n.entity_name AS "entityName"`
const FROM = 'FROM traces t JOIN trace_titles n ON n.id = t.title'
const GET = `SELECT ${COLUMNS} ${FROM} WHERE t.trace_id = ?`
const TITLES_OF_ENTITY = 'SELECT id FROM trace_titles WHERE entity_type = ? AND entity_id = ?'

interface Source {
  readonly from: string
  /** Alias of the table that is read in order, and its column with the trace's number. */
  readonly table: string
  readonly key: string
  readonly conditions: readonly Condition[]
}

const PLAIN: Source = { from: FROM, table: 't', key: 't.number', conditions: [] }

/** A number in SQLite, a UUID in Postgres. */
type TitleIds = readonly string[] | readonly number[]

/** The rows of traces, without their spans. */
export class TraceList {
  readonly #sql: Sql
  readonly #ofSubject: Omit<Source, 'conditions'>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#ofSubject = {
      from: `FROM trace_subjects s ${sql.dialect.firstJoin} traces t ON t.number = s.trace JOIN trace_titles n ON n.id = t.title`,
      table: 's',
      key: 's.trace',
    }
  }

  readonly get = async (traceId: string): Promise<TraceRow | undefined> => {
    const row = await this.#sql.first<TraceColumns>(GET, [traceId])
    return row && traceOfColumns(row)
  }

  readonly read = async (filter: TraceFilter, page: TracePage): Promise<TraceRow[]> => {
    const sources = await this.#sources(filter)
    const queries = sources.map((source) => this.#pageOf(source, filter, page))
    const rows = await (this.#sql.dialect.isServer ? this.#union(queries, page) : this.#merged(queries, page))
    return rows.map((row) => traceOfColumns(row))
  }

  /** A trace may be found by several of the queries. */
  async #union(queries: readonly Condition[], { limit }: TracePage): Promise<TraceColumns[]> {
    const [first, ...others] = queries
    if (!first) return []
    if (others.length === 0) return this.#sql.filtered(first.text, first.values)
    const all = queries.map(({ text }) => `(${text})`).join(' UNION ')
    const text = `${all} ORDER BY "startedAt" DESC, number DESC LIMIT ?`
    return this.#sql.filtered(text, [...valuesOf(queries), limit])
  }

  /** As `#union`, without its temporary tables, which take SQLite longer than all the rest. */
  async #merged(queries: readonly Condition[], { limit }: TracePage): Promise<TraceColumns[]> {
    const lists = await Promise.all(
      queries.map(({ text, values }) => this.#sql.filtered<TraceColumns>(text, values)),
    )
    const [first = []] = lists
    if (lists.length < 2) return first
    const unique = new Map(lists.flat().map((row) => [row.number, row]))
    return [...unique.values()]
      .toSorted((a, b) => b.startedAt - a.startedAt || b.number - a.number)
      .slice(0, limit)
  }

  /** The queries to merge, each in list order and with the most selective index that the filter allows. */
  async #sources({ words, ...filter }: TraceFilter): Promise<readonly Source[]> {
    const titles = words && (await this.#titlesWith(words))
    if (titles?.length === 0) return []
    const subject = SUBJECTS_BY_SELECTIVITY.find((one) => filter[one] !== undefined)
    if (subject === undefined) return titles ? this.#ofTitles(titles) : [PLAIN]
    const id = this.#sql.dialect.storedId(filter[subject] as string)
    const rest = titles ? [this.#isTitled(titles)] : []
    const isSubject = { text: 's.subject = ? AND s.id = ?', values: [SUBJECTS.indexOf(subject), id] }
    return [
      { ...this.#ofSubject, conditions: [isSubject, ...rest] },
      ...(await this.#entitySources(subject, id, titles)),
    ]
  }

  /** Queries of traces whose own row or title has the subject. */
  async #entitySources(
    subject: Subject,
    id: string,
    titles: TitleIds | undefined,
  ): Promise<readonly Source[]> {
    if (subject === 'executionId') {
      const rest = titles ? [this.#isTitled(titles)] : []
      return [{ ...PLAIN, conditions: [{ text: 't.execution_id = ?', values: [id] }, ...rest] }]
    }
    const type = ENTITY_OF[subject]
    if (type === undefined) return []
    const found = await this.#sql.all<{ id: string }>(TITLES_OF_ENTITY, [type, id])
    const ids = found.map((row) => row.id)
    const wanted = titles && new Set<string | number>(titles)
    return this.#ofTitles(wanted ? ids.filter((one) => wanted.has(one)) : ids)
  }

  async #titlesWith(words: readonly string[]): Promise<TitleIds> {
    const like = this.#sql.dialect.like('name')
    const conditions = words.map((word) => ({ text: like, values: [patternOf(word)] }))
    const hasWords = wordsIn(words) ?? (() => true)
    const found = await this.#sql.filtered<{ id: string; name: string }>(
      `SELECT id, name FROM trace_titles ${whereAll(conditions)}`,
      valuesOf(conditions),
    )
    return found.filter(({ name }) => hasWords(name)).map(({ id }) => id)
  }

  /** A query for each title, which an index returns in order; one scan for many titles. */
  #ofTitles(titles: TitleIds): readonly Source[] {
    if (titles.length > MAX_TITLE_QUERIES) return [{ ...PLAIN, conditions: [this.#isTitled(titles)] }]
    return titles.map((id) => ({ ...PLAIN, conditions: [{ text: 't.title = ?', values: [id] }] }))
  }

  #isTitled(titles: TitleIds): Condition {
    return { text: this.#sql.dialect.among('t.title'), values: [titles] }
  }

  #pageOf(source: Source, filter: TraceFilter, page: TracePage): Condition {
    const conditions = [...source.conditions, ...this.#conditionsOf(filter, page, source)]
    return {
      text: `SELECT ${COLUMNS} ${source.from} ${whereAll(conditions)}
        ORDER BY ${source.table}.started_at DESC, ${source.key} DESC LIMIT ?`,
      values: [...valuesOf(conditions), page.limit],
    }
  }

  #conditionsOf(filter: TraceFilter, { after }: TracePage, { table, key }: Source): Condition[] {
    const { traceId, status, from, to, minDurationMs } = filter
    const [, ...others] = SUBJECTS_BY_SELECTIVITY.filter((subject) => filter[subject] !== undefined)
    const startedAt = `${table}.started_at`
    return [
      ...given(traceId, (value) => ({ text: 't.trace_id = ?', values: [value] })),
      ...given(status, statusIs),
      ...given(from, (value) => ({ text: `${startedAt} > ?`, values: [value] })),
      ...given(to, (value) => ({ text: `${startedAt} < ?`, values: [value] })),
      ...given(minDurationMs, (value) => ({ text: 't.ended_at - t.started_at >= ?', values: [value] })),
      ...given(after, (value) => ({
        // the first term is for the index of SQLite
        text: `${startedAt} <= ? AND (${startedAt}, ${key}) < (?, ?)`,
        values: [value.startedAt, value.startedAt, value.number],
      })),
      ...others.map((subject) => hasSubject(subject, this.#sql.dialect.storedId(filter[subject] as string))),
    ]
  }
}

function hasSubject(subject: Subject, id: string): Condition {
  const row =
    'EXISTS (SELECT 1 FROM trace_subjects o WHERE o.trace = t.number AND o.subject = ? AND o.id = ?)'
  const values = [SUBJECTS.indexOf(subject), id]
  if (subject === 'executionId') return { text: `(t.execution_id = ? OR ${row})`, values: [id, ...values] }
  const type = ENTITY_OF[subject]
  if (type === undefined) return { text: row, values }
  return { text: `((n.entity_type = ? AND n.entity_id = ?) OR ${row})`, values: [type, id, ...values] }
}

/** A condition with the term of the partial index, without which SQLite does not use it. Null means `ok`. */
function statusIs(status: string): Condition {
  if (status === 'ok') return { text: "coalesce(t.status, 'ok') = 'ok'", values: [] }
  return { text: "t.status = ? AND t.status <> 'ok'", values: [status] }
}

function traceOfColumns({
  inputTokens,
  outputTokens,
  costNano,
  entityType,
  entityId,
  entityName,
  ...row
}: TraceColumns): TraceRow {
  return {
    ...row,
    entity: entityType === '' ? undefined : { type: entityType, id: entityId, name: entityName },
    usage:
      inputTokens === null && outputTokens === null
        ? undefined
        : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costNano },
  }
}
