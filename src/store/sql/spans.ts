import { CHUNKS_PER_TRACE, chunkTimes, elementStart, spansIn } from '../rows/traces/span-chunks.ts'
import type { SpanPage, StoredSpan, TraceTotals } from '../trace-store.ts'
import type { Dialect } from './dialect.ts'
import type { Sql } from './sql.ts'

/** Chunks that are read at a time. */
const CHUNK_PAGE = 32

const CHUNK = 'number, owner_epoch AS "ownerEpoch", first_at AS "firstAt", spans'

/** A row of `span_chunks`. */
export interface Chunk {
  readonly number: number
  readonly ownerEpoch: number
  readonly firstAt: number
  readonly spans: string
}

function chunksQuery({ isServer }: Dialect): string {
  const next = `last_at >= ? AND (first_at, number) > (?, ?) ORDER BY first_at, number LIMIT ${CHUNK_PAGE}`
  if (isServer)
    return `SELECT ${CHUNK} FROM span_chunks
      WHERE (trace, day) = (SELECT number, day FROM traces WHERE trace_id = ?) AND ${next}`
  // the numbers first, as sorting would read all spans of the trace
  return `SELECT ${CHUNK} FROM span_chunks WHERE number IN (
      SELECT chunk.number FROM traces CROSS JOIN span_chunks AS chunk
        ON chunk.number BETWEEN traces.number * ${CHUNKS_PER_TRACE} AND (traces.number + 1) * ${CHUNKS_PER_TRACE} - 1
      WHERE trace_id = ? AND ${next.replaceAll('number', 'chunk.number')}
    ) ORDER BY first_at, number`
}

function chunkOfSpanQuery({ isServer }: Dialect): string {
  const trace = isServer ? 'trace' : `number / ${CHUNKS_PER_TRACE} AS trace`
  const position = isServer ? 'strpos' : 'instr'
  return `SELECT chunk.*, traces.trace_id AS "traceId" FROM (
      SELECT ${trace}, ${CHUNK} FROM span_chunks
      WHERE first_at BETWEEN ? AND ? AND last_at >= ? AND ${position}(spans, ?) > 0 ORDER BY number DESC LIMIT 1
    ) AS chunk JOIN traces ON traces.number = chunk.trace`
}

/** Queries of spans. */
export class SqlSpans {
  readonly #sql: Sql
  readonly #ownerEpoch: number
  readonly #aliveEpochs: () => Promise<readonly number[]>
  readonly #chunks: string
  readonly #chunkOfSpan: string
  readonly #totals: string

  /** `aliveEpochs` returns the owner epochs of the other processes that are alive. */
  constructor(sql: Sql, ownerEpoch: number, aliveEpochs: () => Promise<readonly number[]>) {
    this.#sql = sql
    this.#ownerEpoch = ownerEpoch
    this.#aliveEpochs = aliveEpochs
    this.#chunks = chunksQuery(sql.dialect)
    this.#chunkOfSpan = chunkOfSpanQuery(sql.dialect)
    this.#totals = sql.dialect.isServer
      ? `SELECT CAST(coalesce(sum(traces), 0) AS bigint) AS traces, CAST(coalesce(sum(spans), 0) AS bigint) AS spans
         FROM trace_days`
      : 'SELECT traces, spans FROM trace_totals'
  }

  /** Chunks overlap in time: all chunks are read that may contain a span of the page, or a later version of one. */
  readonly page = async (traceId: string, { limit, after = '' }: SpanPage): Promise<StoredSpan[]> => {
    const found = new Map<string, FoundSpan>()
    let last: number | undefined
    for await (const chunk of this.chunks(traceId, after === '' ? undefined : chunkTimes(after).at)) {
      if (last !== undefined && chunk.firstAt > last) break
      for (const span of spansIn(chunk.spans)) {
        const isLater = (found.get(span.spanId)?.chunk.number ?? -1) < chunk.number
        if (span.spanId > after && isLater) found.set(span.spanId, { ...span, traceId, chunk })
      }
      if (found.size >= limit) last ??= chunkTimes([...found.keys()].toSorted()[limit - 1] ?? '').at
    }
    const wanted = [...found.values()].toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1)).slice(0, limit)
    return this.#stored(wanted)
  }

  readonly find = async (spanId: string): Promise<StoredSpan | undefined> => {
    const { at, from } = chunkTimes(spanId)
    if (Number.isNaN(at)) return undefined
    const chunk = await this.#sql.first<Chunk & { readonly traceId: string }>(this.#chunkOfSpan, [
      from,
      at,
      at,
      elementStart(spanId),
    ])
    const span = chunk && spansIn(chunk.spans).find((one) => one.spanId === spanId)
    if (!span) return undefined
    const [stored] = await this.#stored([{ ...span, traceId: chunk.traceId, chunk }])
    return stored
  }

  readonly totals = async (): Promise<TraceTotals> => {
    const [row = { traces: 0, spans: 0 }] = await this.#sql.all<TraceTotals>(this.#totals)
    return row
  }

  /** The chunks of a trace with spans that started at `since` or later, in the order of their first span. */
  async *chunks(traceId: string, since = Number.MIN_SAFE_INTEGER): AsyncGenerator<Chunk> {
    let [firstAt, number] = [Number.MIN_SAFE_INTEGER, 0]
    for (;;) {
      const chunks = await this.#sql.all<Chunk>(this.#chunks, [traceId, since, firstAt, number])
      yield* chunks
      const last = chunks.at(-1)
      if (chunks.length < CHUNK_PAGE || !last) return
      ;({ firstAt, number } = last)
    }
  }

  async #stored(found: readonly FoundSpan[]): Promise<StoredSpan[]> {
    const hasOthers = found.some(({ chunk }) => chunk.ownerEpoch !== this.#ownerEpoch)
    const alive = new Set([this.#ownerEpoch, ...(hasOthers ? await this.#aliveEpochs() : [])])
    return found.map(({ spanId, data, traceId, chunk }) => ({
      spanId,
      data,
      traceId,
      isOrphaned: !alive.has(chunk.ownerEpoch),
    }))
  }
}

interface FoundSpan extends Omit<StoredSpan, 'isOrphaned'> {
  readonly chunk: Chunk
}
