import { MAX_TITLE_QUERIES, SUBJECTS_BY_SELECTIVITY } from '../../rows/traces/trace-columns.ts'
import type { TraceColumns } from '../../rows/traces/trace-columns.ts'
import { patternOf, wordsIn } from '../../rows/word-search.ts'
import { ENTITY_OF, SUBJECTS } from '../../trace-store.ts'
import type { Subject, TraceFilter, TracePage, TraceRow } from '../../trace-store.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { storableId } from '../storable-id.ts'
import { FROM_TRACES, TRACE_COLUMNS, traceRow } from './trace-row.ts'

interface Source {
  readonly from: string
  /** Alias of the table that is read in order, and its column with the trace's number. */
  readonly table: string
  readonly key: string
  readonly conditions: readonly Condition[]
}

const PLAIN: Source = { from: FROM_TRACES, table: 't', key: 't.number', conditions: [] }
const OF_SUBJECT = {
  from: 'FROM trace_subjects s JOIN traces t ON t.number = s.trace JOIN trace_titles n ON n.id = t.title',
  table: 's',
  key: 's.trace',
}

/** Lists of traces. */
export class PostgresTraceList {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async read(filter: TraceFilter, page: TracePage): Promise<TraceRow[]> {
    const sources = await this.#sources(filter)
    if (sources.length === 0) return []
    const queries = sources.map((source) => pageOf(source, filter, page))
    // a trace may be found by several of the queries
    const all = queries.length === 1 ? queries : [unionOf(queries, page.limit)]
    const [{ text, values }] = all as [Condition]
    const rows = await this.#database.rows<TraceColumns>({ text: numberParameters(text), values })
    return rows.map((row) => traceRow(row))
  }

  /** The queries to merge, each in list order and with the most selective index that the filter allows. */
  async #sources({ words, ...filter }: TraceFilter): Promise<readonly Source[]> {
    const titles = words && (await this.#titlesWith(words))
    if (titles?.length === 0) return []
    const subject = SUBJECTS_BY_SELECTIVITY.find((one) => filter[one] !== undefined)
    if (subject === undefined) return titles ? ofTitles(titles) : [PLAIN]
    const id = storableId(filter[subject] as string)
    const rest = titles ? [isTitled(titles)] : []
    const isSubject = { text: 's.subject = ? AND s.id = ?', values: [SUBJECTS.indexOf(subject), id] }
    return [
      { ...OF_SUBJECT, conditions: [isSubject, ...rest] },
      ...(await this.#entitySources(subject, id, titles)),
    ]
  }

  /** Queries of traces whose own row or title has the subject. */
  async #entitySources(
    subject: Subject,
    id: string,
    titles: readonly string[] | undefined,
  ): Promise<readonly Source[]> {
    if (subject === 'executionId') {
      const rest = titles ? [isTitled(titles)] : []
      return [{ ...PLAIN, conditions: [{ text: 't.execution_id = ?', values: [id] }, ...rest] }]
    }
    const type = ENTITY_OF[subject]
    if (type === undefined) return []
    const found = await this.#database.rows<{ id: string }>({
      text: 'SELECT id FROM trace_titles WHERE entity_type = $1 AND entity_id = $2',
      values: [type, id],
    })
    const ids = found.map((row) => row.id)
    return ofTitles(titles ? ids.filter((one) => titles.includes(one)) : ids)
  }

  async #titlesWith(words: readonly string[]): Promise<string[]> {
    const conditions = words.map((word) => ({
      text: `name COLLATE "C" ILIKE ? ESCAPE '!'`,
      values: [patternOf(word)],
    }))
    const hasWords = wordsIn(words) ?? (() => true)
    const found = await this.#database.rows<{ id: string; name: string }>({
      text: numberParameters(`SELECT id, name FROM trace_titles ${whereAll(conditions)}`),
      values: valuesOf(conditions),
    })
    return found.filter(({ name }) => hasWords(name)).map(({ id }) => id)
  }
}

function pageOf(source: Source, filter: TraceFilter, page: TracePage): Condition {
  const conditions = [...source.conditions, ...conditionsOf(filter, page, source)]
  return {
    text: `SELECT ${TRACE_COLUMNS} ${source.from} ${whereAll(conditions)}
      ORDER BY ${source.table}.started_at DESC, ${source.key} DESC LIMIT ?`,
    values: [...valuesOf(conditions), page.limit],
  }
}

function unionOf(queries: readonly Condition[], limit: number): Condition {
  return {
    text: `${queries.map(({ text }) => `(${text})`).join(' UNION ')}
      ORDER BY "startedAt" DESC, number DESC LIMIT ?`,
    values: [...valuesOf(queries), limit],
  }
}

/** A query for each title, which an index returns in order; one scan for many titles. */
function ofTitles(titles: readonly string[]): readonly Source[] {
  if (titles.length > MAX_TITLE_QUERIES) return [{ ...PLAIN, conditions: [isTitled(titles)] }]
  return titles.map((id) => ({ ...PLAIN, conditions: [{ text: 't.title = ?', values: [id] }] }))
}

function isTitled(titles: readonly string[]): Condition {
  return { text: 't.title = ANY (?::uuid[])', values: [titles] }
}

function conditionsOf(filter: TraceFilter, { after }: TracePage, { table, key }: Source): Condition[] {
  const { status, from, to, minDurationMs } = filter
  const [, ...others] = SUBJECTS_BY_SELECTIVITY.filter((subject) => filter[subject] !== undefined)
  const startedAt = `${table}.started_at`
  const given = <Value>(value: Value | undefined, condition: (value: Value) => Condition) =>
    value === undefined ? [] : [condition(value)]
  return [
    ...given(status, statusIs),
    ...given(from, (value) => ({ text: `${startedAt} > ?`, values: [value] })),
    ...given(to, (value) => ({ text: `${startedAt} < ?`, values: [value] })),
    ...given(minDurationMs, (value) => ({ text: 't.ended_at - t.started_at >= ?', values: [value] })),
    ...given(after, (value) => ({
      text: `(${startedAt}, ${key}) < (?, ?)`,
      values: [value.startedAt, value.number],
    })),
    ...others.map((subject) => hasSubject(subject, storableId(filter[subject] as string))),
  ]
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

/** A condition with the term of the partial index. */
function statusIs(status: string): Condition {
  if (status === 'ok') return { text: "(t.status = 'ok' OR t.status IS NULL)", values: [] }
  return { text: "t.status = ? AND t.status <> 'ok'", values: [status] }
}
