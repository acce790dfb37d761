import type { SpanPage, StoredSpan, TraceTotals } from '../../trace-store.ts'
import type { Database, Statement } from '../driver.ts'
import { chunkTimes, hasSpan, spansIn } from '../../rows/traces/span-chunks.ts'
import { firstChunk, traceOfChunk } from './chunk-numbers.ts'

/** Queries of spans. */
export class TraceReader {
  readonly #number: Statement
  readonly #ownerEpoch: number
  readonly #places: Statement
  readonly #chunk: Statement
  readonly #chunksAround: Statement
  readonly #traceId: Statement
  readonly #totals: Statement

  constructor(database: Database, ownerEpoch: number) {
    this.#ownerEpoch = ownerEpoch
    const prepare = (sql: string) => database.prepare(sql)
    this.#number = prepare('SELECT number FROM traces WHERE trace_id = ?')
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

  /** Chunks overlap in time: all chunks are read that may contain a span of the page, or a later version of one. */
  spans(traceId: string, { limit, after = '' }: SpanPage): StoredSpan[] {
    const { number } = (this.#number.get(traceId) ?? {}) as { number?: number }
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
