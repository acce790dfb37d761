import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import { ENTITY_OF, SUBJECTS } from '../../trace-store.ts'
import type { TraceChange, TraceSubject } from '../../trace-store.ts'
import type { Database, SqlValue, Statement } from '../driver.ts'
import { chunksOf, firstChunk } from '../../rows/traces/span-chunks.ts'
import { rollBack } from '../transaction.ts'

const COLUMNS = [
  'number',
  'trace_id',
  'title',
  'execution_id',
  'kind',
  'status',
  'started_at',
  'ended_at',
  'span_count',
  'input_tokens',
  'output_tokens',
  'cost_nano',
] as const

const INSERT = `INSERT INTO traces (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`
const UNTITLED = "(SELECT entity_type = '' FROM trace_titles WHERE id = title)"
const TITLED = "(SELECT entity_type <> '' FROM trace_titles WHERE id = excluded.title)"
const ADD = `${INSERT} ON CONFLICT (trace_id) DO UPDATE SET
    ended_at = max(ended_at, excluded.ended_at),
    span_count = span_count + excluded.span_count,
    input_tokens = coalesce(input_tokens + excluded.input_tokens, input_tokens, excluded.input_tokens),
    output_tokens = coalesce(output_tokens + excluded.output_tokens, output_tokens, excluded.output_tokens),
    cost_nano = cost_nano + excluded.cost_nano,
    execution_id = coalesce(execution_id, excluded.execution_id),
    title = iif(${UNTITLED} AND ${TITLED}, excluded.title, title)`
const RETURNING = 'RETURNING number, started_at AS startedAt'

const KNOWN_TITLES = 1000

/** Writes of traces. */
export class TraceWriter {
  readonly #database: Database
  readonly #ownerEpoch: number
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertTitle: Statement
  readonly #titleId: Statement
  readonly #insert: Statement
  readonly #add: Statement
  readonly #addWithStatus: Statement
  readonly #insertChunk: Statement
  readonly #lastChunk: Statement
  readonly #insertSubject: Statement
  readonly #last: Statement
  readonly #count: Statement
  #titles = new Map<string, number>()

  constructor(database: Database, ownerEpoch: number) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#ownerEpoch = ownerEpoch
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#insertTitle = prepare(
      `INSERT INTO trace_titles (name, entity_type, entity_id, entity_name) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    this.#titleId = prepare(
      'SELECT id FROM trace_titles WHERE name = ? AND entity_type = ? AND entity_id = ? AND entity_name = ?',
    )
    this.#insert = prepare(`${INSERT} ON CONFLICT (trace_id) DO NOTHING`)
    this.#add = prepare(`${ADD} ${RETURNING}`)
    this.#addWithStatus = prepare(`${ADD}, status = excluded.status ${RETURNING}`)
    this.#insertChunk = prepare(
      'INSERT INTO span_chunks (number, owner_epoch, added, first_at, last_at, spans) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#lastChunk = prepare(
      'SELECT max(number) AS number FROM span_chunks WHERE number >= ? AND number < ?',
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
      // the rollback removed titles
      this.forgetTitles()
      throw error
    }
  }

  /** Clears the cache of title ids, after titles were deleted. */
  forgetTitles(): void {
    this.#titles = new Map()
  }

  /** `next` is the number for a new trace. */
  #apply(change: TraceChange, next: number): { isNew: boolean; spans: number } {
    const chunks = chunksOf(change.spans)
    let added = 0
    for (const chunk of chunks) added += chunk.added
    const values = this.#values(change, { number: next, added })
    const isNew = Number(this.#insert.run(...values).changes) > 0
    const { number, startedAt } = isNew
      ? { number: next, startedAt: Math.floor(change.startedAt) }
      : this.#update(change, values)
    let place = isNew ? firstChunk(number) : this.#nextChunk(number)
    for (const { added: own, firstAt, lastAt, spans: json } of chunks) {
      // a trace has a million chunks at most; further spans are dropped
      if (place === firstChunk(number + 1)) break
      this.#insertChunk.run(place++, this.#ownerEpoch, own, firstAt, lastAt, json)
    }
    const implied = isNew ? subjectsOfTrace(change) : NO_SUBJECTS
    for (const one of change.subjects)
      if (!implied.includes(one)) this.#insertSubject.run(number, SUBJECTS.indexOf(one[0]), one[1], startedAt)
    return { isNew, spans: added }
  }

  /** Updates an existing trace. */
  #update({ status }: TraceChange, values: readonly SqlValue[]): { number: number; startedAt: number } {
    const statement = status === undefined ? this.#add : this.#addWithStatus
    return statement.all(...values)[0] as { number: number; startedAt: number }
  }

  #nextChunk(trace: number): number {
    const { number } = this.#lastChunk.get(firstChunk(trace), firstChunk(trace + 1)) as {
      number: number | null
    }
    return number === null ? firstChunk(trace) : number + 1
  }

  #values(change: TraceChange, { number, added }: { number: number; added: number }): SqlValue[] {
    const { traceId, kind, status = 'ok', startedAt, endedAt, usage, subjects } = change
    return [
      number,
      traceId,
      this.#titleOf(change),
      subjects.find(isExecution)?.[1] ?? null,
      kind,
      status,
      Math.floor(startedAt),
      endedAt,
      added,
      usage?.inputTokens ?? null,
      usage?.outputTokens ?? null,
      usage ? usage.costNano : 0,
    ]
  }

  #titleOf({ name, entity }: TraceChange): number {
    const { type = '', id = '', name: shown = '' } = entity ?? {}
    const key = `${name}\n${type}\n${id}\n${shown}`
    const known = this.#titles.get(key)
    if (known !== undefined) return known
    this.#insertTitle.run(name, type, id, shown)
    const row = this.#titleId.get(name, type, id, shown) as { id: number }
    if (this.#titles.size >= KNOWN_TITLES) this.forgetTitles()
    this.#titles.set(key, row.id)
    return row.id
  }
}

const NO_SUBJECTS: readonly TraceSubject[] = []

/** Subjects that need no row in `trace_subjects`, as the trace's row or title has them. */
function subjectsOfTrace({ subjects, entity }: TraceChange): readonly TraceSubject[] {
  const execution = subjects.find(isExecution)
  return subjects.filter((one) => one === execution || (entity && isEntity(one, entity)))
}

function isExecution([subject]: TraceSubject): boolean {
  return subject === 'executionId'
}

function isEntity([subject, id]: TraceSubject, entity: TraceEntity): boolean {
  return ENTITY_OF[subject] === entity.type && id === entity.id
}
