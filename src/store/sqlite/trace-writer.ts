import { SUBJECTS } from '../trace-store.ts'
import type { TraceChange } from '../trace-store.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { chunksOf } from './span-chunks.ts'
import { rollBack } from './transaction.ts'

const COLUMNS = [
  'number',
  'trace_id',
  'name',
  'kind',
  'status',
  'started_at',
  'ended_at',
  'span_count',
  'input_tokens',
  'output_tokens',
  'entity_type',
  'entity_id',
  'entity_name',
] as const

const INSERT = `INSERT INTO traces (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`
const ADD = `${INSERT} ON CONFLICT (trace_id) DO UPDATE SET
    ended_at = max(ended_at, excluded.ended_at),
    span_count = span_count + excluded.span_count,
    input_tokens = coalesce(input_tokens + excluded.input_tokens, input_tokens, excluded.input_tokens),
    output_tokens = coalesce(output_tokens + excluded.output_tokens, output_tokens, excluded.output_tokens),
    name = iif(entity_id IS NULL AND excluded.entity_id IS NOT NULL, excluded.name, name),
    entity_name = iif(entity_id IS NULL, excluded.entity_name, entity_name),
    entity_type = iif(entity_id IS NULL, excluded.entity_type, entity_type),
    entity_id = coalesce(entity_id, excluded.entity_id)`
const RETURNING = 'RETURNING number, started_at AS startedAt'

const KNOWN_NAMES = 1000

/** Adds to traces with statements that are prepared once. */
export class TraceWriter {
  readonly #database: Database
  readonly #epoch: number
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertName: Statement
  readonly #nameId: Statement
  readonly #insert: Statement
  readonly #add: Statement
  readonly #addWithStatus: Statement
  readonly #insertChunk: Statement
  readonly #insertSubject: Statement
  readonly #last: Statement
  readonly #count: Statement
  #names = new Map<string, number>()

  constructor(database: Database, epoch: number) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#epoch = epoch
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#insertName = prepare('INSERT INTO trace_names (name) VALUES (?) ON CONFLICT DO NOTHING')
    this.#nameId = prepare('SELECT id FROM trace_names WHERE name = ?')
    this.#insert = prepare(`${INSERT} ON CONFLICT (trace_id) DO NOTHING`)
    this.#add = prepare(`${ADD} ${RETURNING}`)
    this.#addWithStatus = prepare(`${ADD}, status = excluded.status ${RETURNING}`)
    this.#insertChunk = prepare(
      'INSERT INTO span_chunks (trace, epoch, added, first_id, last_id, spans) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#insertSubject = prepare('INSERT INTO trace_subjects VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    this.#last = prepare('SELECT max(number) AS number FROM traces')
    this.#count = prepare('UPDATE trace_totals SET traces = traces + ?, spans = spans + ?')
  }

  write(changes: readonly TraceChange[]): void {
    if (changes.length === 0) return
    this.#begin.run()
    try {
      const last = (this.#last.get() as { number: number | null }).number ?? 0
      let traces = 0
      let spans = 0
      for (const change of changes) {
        const added = this.#apply(change, last + traces + 1)
        if (added.isNew) traces++
        spans += added.spans
      }
      this.#count.run(traces, spans)
      this.#commit.run()
    } catch (error) {
      rollBack(this.#database)
      // their ids were taken back
      this.forgetNames()
      throw error
    }
  }

  /** Forgets the ids of names, some of which are gone. */
  forgetNames(): void {
    this.#names = new Map()
  }

  /** `next` is the number of the trace if it is new. */
  #apply(change: TraceChange, next: number): { isNew: boolean; spans: number } {
    const chunks = chunksOf(change.spans)
    const added = chunks.reduce((sum, chunk) => sum + chunk.added, 0)
    const values = [next, ...this.#values(change, added)]
    const isNew = Number(this.#insert.run(...values).changes) > 0
    const { number, startedAt } = isNew
      ? { number: next, startedAt: values[5] as number }
      : this.#grow(change, values)
    for (const chunk of chunks)
      this.#insertChunk.run(number, this.#epoch, chunk.added, chunk.first, chunk.last, chunk.text)
    for (const [subject, id] of change.subjects)
      this.#insertSubject.run(number, SUBJECTS.indexOf(subject), id, startedAt)
    return { isNew, spans: added }
  }

  /** Adds to a trace that is there. */
  #grow({ status }: TraceChange, values: readonly SqlValue[]): { number: number; startedAt: number } {
    const statement = status === undefined ? this.#add : this.#addWithStatus
    return statement.all(...values)[0] as { number: number; startedAt: number }
  }

  #values(change: TraceChange, added: number): SqlValue[] {
    const { traceId, name, kind, status = 'ok', startedAt, endedAt, usage, entity } = change
    return [
      traceId,
      this.#idOf(name),
      kind,
      status,
      Math.floor(startedAt),
      endedAt,
      added,
      usage?.inputTokens ?? null,
      usage?.outputTokens ?? null,
      entity?.type ?? null,
      entity?.id ?? null,
      entity?.name ?? null,
    ]
  }

  #idOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#insertName.run(name)
    const { id } = this.#nameId.get(name) as { id: number }
    if (this.#names.size >= KNOWN_NAMES) this.forgetNames()
    this.#names.set(name, id)
    return id
  }
}
