import { ContentErasure, isShared } from '../rows/traces/erase-content.ts'
import { SUBJECTS } from '../trace-store.ts'
import type { DeletedTraces, ErasedSpans, Subject } from '../trace-store.ts'
import type { SqlSpans } from './spans.ts'
import { tx } from './sql.ts'
import type { Sql, SqlParams, Transaction } from './sql.ts'

/** A trace that can be deleted. */
export interface OldTrace {
  readonly number: number
  readonly spanCount: number
}

/** How a backend stores traces. */
export interface StoredTraces<Trace extends OldTrace> {
  /** Further columns of `traces` that a trace needs. */
  readonly columns: string
  /** The condition that a chunk is of a trace, and its parameters. */
  readonly isOfTrace: string
  readonly chunkKey: (trace: Trace) => SqlParams
  /** Deletes traces with all that belongs to them. */
  readonly deleteTraces: (traces: readonly Trace[]) => Transaction<void>
  /** Subtracts spans of a trace from the totals. */
  readonly countLess: (trace: Trace, spans: number) => Transaction<unknown>
}

interface FoundTrace extends OldTrace {
  readonly traceId: string
  readonly executionId: string | null
}

/** Maximum number of traces that are read at a time to be pruned. */
const MAX_TRACES = 200
const ERASE = 'UPDATE span_chunks SET spans = ? WHERE first_at = ? AND number = ?'

/** Deletes traces on request and by retention, and removes content from those that have spans of others. */
export class TraceDeleter<Trace extends OldTrace> {
  readonly #sql: Sql
  readonly #spans: SqlSpans
  readonly #stored: StoredTraces<Trace>
  readonly #find: string
  readonly #subjects: string
  readonly #forget: string
  readonly #expired: string
  readonly #oldest: string
  readonly #chunks: string
  readonly #deleteChunks: string

  constructor(sql: Sql, spans: SqlSpans, stored: StoredTraces<Trace>) {
    const { among, forUpdate, skipLocked } = sql.dialect
    const { columns, isOfTrace } = stored
    this.#sql = sql
    this.#spans = spans
    this.#stored = stored
    const select = `SELECT number, span_count AS "spanCount", ${columns}`
    this.#find = `${select}, trace_id AS "traceId", execution_id AS "executionId" FROM traces
      WHERE ${among('trace_id')} ORDER BY number ${forUpdate}`
    this.#subjects = `SELECT trace, subject, id FROM trace_subjects WHERE ${among('trace')}`
    this.#forget = `DELETE FROM trace_subjects WHERE trace = (SELECT number FROM traces WHERE trace_id = ?)
      AND subject = ? AND ${among('id')}`
    // locked, so that no other process adds spans to them
    const order = `ORDER BY started_at, number LIMIT ${MAX_TRACES} ${skipLocked}`
    this.#expired = `${select} FROM traces WHERE started_at < ? AND ended_at < ? ${order}`
    this.#oldest = `${select} FROM traces ${order}`
    this.#chunks = `SELECT number, added FROM span_chunks WHERE ${isOfTrace} ORDER BY number LIMIT ?`
    this.#deleteChunks = `DELETE FROM span_chunks WHERE ${isOfTrace} AND ${among('number')}`
  }

  /** Deletes up to `limit` spans of traces that ended before a time, or else up to `surplus` of the oldest ones. */
  *prune(before: number, surplus: number, limit: number): Transaction<number> {
    const expired = yield* tx.all<Trace>(this.#expired, [before, before])
    if (expired.length > 0) return yield* this.#deleteUpTo(limit, expired)
    if (surplus <= 0) return 0
    return yield* this.#deleteUpTo(Math.min(limit, surplus), yield* tx.all<Trace>(this.#oldest))
  }

  readonly delete = (traceIds: readonly string[], erased: ErasedSpans): Promise<DeletedTraces> =>
    this.#sql.transaction(() => this.#delete(traceIds, erased))

  readonly eraseContent = async (traceIds: readonly string[], erased: ErasedSpans): Promise<void> => {
    for (const traceId of traceIds) await this.#eraseContent(traceId, erased)
  }

  async #eraseContent(traceId: string, erased: ErasedSpans): Promise<void> {
    const erasure = new ContentErasure(erased)
    if (erasure.needsNotes) for await (const { spans } of this.#spans.chunks(traceId)) erasure.note(spans)
    for await (const { firstAt, number, spans: stored } of this.#spans.chunks(traceId)) {
      const spans = erasure.without(stored)
      if (spans !== undefined) await this.#sql.run(ERASE, [spans, firstAt, number])
    }
    const { executionIds, userId } = erased
    const { storedId } = this.#sql.dialect
    const forget = (subject: Subject, ids: readonly string[]) =>
      this.#sql.run(this.#forget, [traceId, SUBJECTS.indexOf(subject), ids.map((id) => storedId(id))])
    await forget('executionId', executionIds)
    if (userId !== undefined) await forget('userId', [userId])
  }

  *#delete(traceIds: readonly string[], erased: ErasedSpans): Transaction<DeletedTraces> {
    const traces = yield* tx.all<Trace & FoundTrace>(this.#find, [traceIds])
    const subjects = new Map(traces.map((trace) => [trace.number, subjectsOf(trace)]))
    const rows = yield* tx.all<SubjectRow>(this.#subjects, [[...subjects.keys()]])
    for (const { trace, subject, id } of rows) subjects.get(trace)?.push([SUBJECTS[subject] as Subject, id])
    const shared = traces.filter(({ number }) => isShared(subjects.get(number) ?? [], erased))
    const whole = traces.filter((trace) => !shared.includes(trace))
    yield* this.#stored.deleteTraces(whole)
    return {
      spans: whole.reduce((sum, { spanCount }) => sum + spanCount, 0),
      shared: shared.map(({ traceId }) => traceId),
    }
  }

  /** Deletes whole traces up to `limit` spans. If the first trace is larger, only its oldest chunks are deleted. */
  *#deleteUpTo(limit: number, traces: readonly Trace[]): Transaction<number> {
    const whole: Trace[] = []
    let spans = 0
    for (const trace of traces) {
      if (spans + trace.spanCount > limit) break
      spans += trace.spanCount
      whole.push(trace)
    }
    const [first] = traces
    if (whole.length === 0 && first) return yield* this.#shorten(first, limit)
    yield* this.#stored.deleteTraces(whole)
    return spans
  }

  /** Deletes the oldest chunks of a trace, with at most `count` spans, and the trace if none is left. */
  *#shorten(trace: Trace, count: number): Transaction<number> {
    const { chunkKey, deleteTraces, countLess } = this.#stored
    const key = chunkKey(trace)
    const chunks = yield* tx.all<{ number: number; added: number }>(this.#chunks, [...key, count])
    const old: number[] = []
    let spans = 0
    for (const { number, added } of chunks) {
      if (spans > 0 && spans + added > count) break
      spans += added
      old.push(number)
    }
    if (spans >= trace.spanCount) {
      yield* deleteTraces([trace])
      return trace.spanCount
    }
    yield* tx.run(this.#deleteChunks, [...key, old])
    yield* tx.run('UPDATE traces SET span_count = span_count - ? WHERE number = ?', [spans, trace.number])
    yield* countLess(trace, spans)
    return spans
  }
}

interface SubjectRow {
  readonly trace: number
  readonly subject: number
  readonly id: string
}

function subjectsOf({ executionId }: FoundTrace): [Subject, string][] {
  return executionId === null ? [] : [['executionId', executionId]]
}
