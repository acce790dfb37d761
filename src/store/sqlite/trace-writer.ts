import { SUBJECTS } from '../trace-store.ts'
import type { TraceChange } from '../trace-store.ts'
import type { Database, Statement } from './driver.ts'
import { rollBack } from './transaction.ts'

// what is written comes as one JSON text: binding values one by one costs more than the rows do
const FIELDS = [
  ['trace_id', 't'],
  ['name', 'n'],
  ['kind', 'k'],
  ['status', 's'],
  ['started_at', 'a'],
  ['ended_at', 'e'],
  ['span_count', 'c'],
  ['input_tokens', 'i'],
  ['output_tokens', 'o'],
  ['entity_type', 'et'],
  ['entity_id', 'ei'],
  ['entity_name', 'en'],
] as const

const UPSERT = `INSERT INTO traces (${FIELDS.map(([column]) => column).join(', ')})
  SELECT ${FIELDS.map(([, key]) => `value ->> '${key}'`).join(', ')} FROM json_each(?) WHERE true
  ON CONFLICT (trace_id) DO UPDATE SET
    ended_at = max(ended_at, excluded.ended_at),
    span_count = span_count + excluded.span_count,
    input_tokens = coalesce(input_tokens + excluded.input_tokens, input_tokens, excluded.input_tokens),
    output_tokens = coalesce(output_tokens + excluded.output_tokens, output_tokens, excluded.output_tokens),
    name = iif(entity_id IS NULL AND excluded.entity_id IS NOT NULL, excluded.name, name),
    entity_name = iif(entity_id IS NULL, excluded.entity_name, entity_name),
    entity_type = iif(entity_id IS NULL, excluded.entity_type, entity_type),
    entity_id = coalesce(entity_id, excluded.entity_id)`

const KNOWN_NAMES = 1000

/** Adds to traces with statements that are prepared once. */
export class TraceWriter {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertName: Statement
  readonly #nameId: Statement
  readonly #upsert: Statement
  readonly #upsertWithStatus: Statement
  readonly #insertSpans: Statement
  readonly #insertSubjects: Statement
  readonly #last: Statement
  readonly #count: Statement
  #names = new Map<string, number>()

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#insertName = prepare('INSERT INTO trace_names (name) VALUES (?) ON CONFLICT DO NOTHING')
    this.#nameId = prepare('SELECT id FROM trace_names WHERE name = ?')
    this.#upsert = prepare(UPSERT)
    this.#upsertWithStatus = prepare(`${UPSERT}, status = excluded.status`)
    this.#insertSpans = prepare(
      `INSERT INTO spans SELECT t.number, s.value ->> 1, s.value ->> 2, s.value ->> 3
       FROM json_each(?) s CROSS JOIN traces t ON t.trace_id = s.value ->> 0 WHERE true
       ON CONFLICT DO UPDATE SET open = excluded.open, data = excluded.data`,
    )
    this.#insertSubjects = prepare(
      `INSERT INTO trace_subjects SELECT t.number, s.value ->> 1, s.value ->> 2, t.started_at
       FROM json_each(?) s CROSS JOIN traces t ON t.trace_id = s.value ->> 0 WHERE true
       ON CONFLICT DO NOTHING`,
    )
    this.#last = prepare('SELECT max(number) AS number FROM traces')
    this.#count = prepare('UPDATE trace_totals SET traces = traces + ?, spans = spans + ?')
  }

  write(changes: readonly TraceChange[]): void {
    if (changes.length === 0) return
    this.#begin.run()
    try {
      this.#apply(changes)
      this.#commit.run()
    } catch (error) {
      rollBack(this.#database)
      // their ids were taken back
      this.#names = new Map()
      throw error
    }
  }

  #apply(changes: readonly TraceChange[]): void {
    const before = this.#lastNumber()
    this.#run(
      this.#upsertWithStatus,
      changes.filter(({ status }) => status !== undefined).map((change) => this.#row(change)),
    )
    this.#run(
      this.#upsert,
      changes.filter(({ status }) => status === undefined).map((change) => this.#row(change)),
    )
    const spans = changes.flatMap(({ traceId, spans: own }) =>
      own.map(({ spanId, open, data }) => [traceId, spanId, open ? 1 : 0, data]),
    )
    const subjects = changes.flatMap(({ traceId, subjects: own }) =>
      own.map(([subject, id]) => [traceId, SUBJECTS.indexOf(subject), id]),
    )
    this.#run(this.#insertSpans, spans)
    this.#run(this.#insertSubjects, subjects)
    const added = changes.reduce((sum, change) => sum + newSpans(change), 0)
    this.#count.run(this.#lastNumber() - before, added)
  }

  #run(statement: Statement, rows: readonly unknown[]): void {
    if (rows.length > 0) statement.run(JSON.stringify(rows))
  }

  #row(change: TraceChange): Readonly<Record<(typeof FIELDS)[number][1], string | number | undefined>> {
    const { traceId, name, kind, status = 'ok', startedAt, endedAt, usage, entity } = change
    return {
      t: traceId,
      n: this.#idOf(name),
      k: kind,
      s: status,
      a: Math.floor(startedAt),
      e: endedAt,
      c: newSpans(change),
      i: usage?.inputTokens,
      o: usage?.outputTokens,
      et: entity?.type,
      ei: entity?.id,
      en: entity?.name,
    }
  }

  #idOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#insertName.run(name)
    const { id } = this.#nameId.get(name) as { id: number }
    if (this.#names.size >= KNOWN_NAMES) this.#names = new Map()
    this.#names.set(name, id)
    return id
  }

  /** Forgets the ids of names, some of which are gone. */
  forgetNames(): void {
    this.#names = new Map()
  }

  #lastNumber(): number {
    return (this.#last.get() as { number: number | null }).number ?? 0
  }
}

function newSpans({ spans }: TraceChange): number {
  return spans.reduce((sum, { isNew }) => sum + (isNew ? 1 : 0), 0)
}
