import type { Database, Statement } from '../driver.ts'
import { firstChunk } from './chunk-numbers.ts'
import { inTransaction } from '../transaction.ts'

/** A trace that can be deleted. */
export interface PrunableTrace {
  readonly number: number
  readonly spanCount: number
  readonly title: number
}

/** Maximum number of traces that are read at a time. */
const MAX_TRACES = 200

/** Deletes traces that retention does not cover, and ends traces of earlier owners. */
export class TracePruner {
  readonly #database: Database
  readonly #expired: Statement
  readonly #oldest: Statement
  readonly #totals: Statement
  readonly #chunks: Statement
  readonly #deleteChunks: Statement
  readonly #deleteChunk: Statement
  readonly #lessSpans: Statement
  readonly #deletes: readonly Statement[]
  readonly #deleteTitle: Statement
  readonly #count: Statement
  readonly #endTraces: Statement

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    const columns = 'number, span_count AS spanCount, title'
    this.#database = database
    this.#expired = prepare(
      `SELECT ${columns} FROM traces WHERE started_at < ? AND ended_at < ? ORDER BY started_at, number LIMIT ?`,
    )
    this.#oldest = prepare(`SELECT ${columns} FROM traces ORDER BY started_at, number LIMIT ?`)
    this.#totals = prepare('SELECT traces, spans FROM trace_totals')
    this.#chunks = prepare(
      'SELECT number, added FROM span_chunks WHERE number >= ? AND number < ? ORDER BY number LIMIT ?',
    )
    this.#deleteChunks = prepare('DELETE FROM span_chunks WHERE number >= ? AND number < ?')
    this.#deleteChunk = prepare('DELETE FROM span_chunks WHERE number = ?')
    this.#lessSpans = prepare('UPDATE traces SET span_count = span_count - ? WHERE number = ?')
    this.#deletes = [
      prepare('DELETE FROM trace_subjects WHERE trace = ?'),
      prepare('DELETE FROM traces WHERE number = ?'),
    ]
    this.#deleteTitle = prepare(
      'DELETE FROM trace_titles WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM traces WHERE title = ?1)',
    )
    this.#count = prepare('UPDATE trace_totals SET traces = traces - ?, spans = spans - ?')
    this.#endTraces = prepare(
      "UPDATE traces SET status = 'error' WHERE status = 'running' AND status <> 'ok'",
    )
  }

  prune({ before, keep }: { before: number; keep: number }, limit: number): number {
    const expired = this.#expired.all(before, before, MAX_TRACES) as PrunableTrace[]
    if (expired.length > 0) return this.#delete(expired, limit)
    const surplus = (this.#totals.get() as { spans: number }).spans - keep
    if (surplus <= 0) return 0
    return this.#delete(this.#oldest.all(MAX_TRACES) as PrunableTrace[], Math.min(limit, surplus))
  }

  /** Deletes a trace, in the caller's transaction. Returns the number of its spans. */
  delete(trace: PrunableTrace): number {
    this.#deleteTrace(trace)
    this.#count.run(1, trace.spanCount)
    return trace.spanCount
  }

  endOrphaned(): number {
    return Number(this.#endTraces.run().changes)
  }

  /** Deletes whole traces up to `limit` spans. If the first trace is larger, only its oldest chunks are deleted. */
  #delete(traces: readonly PrunableTrace[], limit: number): number {
    return inTransaction(this.#database, () => {
      let spans = 0
      let traceCount = 0
      for (const trace of traces) {
        const left = limit - spans
        const isWhole = trace.spanCount <= left
        if (!isWhole && spans > 0) break
        const deleted = isWhole ? trace.spanCount : this.#shorten(trace, left)
        spans += deleted
        if (deleted < trace.spanCount) break
        this.#deleteTrace(trace)
        traceCount += 1
        if (!isWhole) break
      }
      this.#count.run(traceCount, spans)
      return spans
    })
  }

  #deleteTrace({ number, title }: PrunableTrace): void {
    this.#deleteChunks.run(firstChunk(number), firstChunk(number + 1))
    for (const statement of this.#deletes) statement.run(number)
    this.#deleteTitle.run(title)
  }

  #shorten({ number }: PrunableTrace, count: number): number {
    let deleted = 0
    for (const chunk of this.#chunks.all(firstChunk(number), firstChunk(number + 1), count) as {
      number: number
      added: number
    }[]) {
      if (deleted > 0 && deleted + chunk.added > count) break
      this.#deleteChunk.run(chunk.number)
      deleted += chunk.added
    }
    this.#lessSpans.run(deleted, number)
    return deleted
  }
}
