import { chunkTimes, spansIn } from '../../rows/traces/span-chunks.ts'
import type { SpanPage, StoredSpan, TraceTotals } from '../../trace-store.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import type { TailPosition } from '../telemetry/remote-tail.ts'

/** Chunks that are read at a time. */
const CHUNK_PAGE = 32
/** Chunks of one process that are read at a time. */
const TAIL_PAGE = 50

const CHUNK = 'number, owner_epoch AS "ownerEpoch", first_at AS "firstAt", spans'

const TAIL = `SELECT chunk.number, chunk.owner_epoch AS "ownerEpoch", chunk.spans, traces.trace_id AS "traceId"
  FROM unnest($1::bigint[], $2::bigint[]) AS process(epoch, last), LATERAL (
    SELECT number, owner_epoch, spans, trace FROM span_chunks
    WHERE owner_epoch = process.epoch AND number > process.last ORDER BY number LIMIT ${TAIL_PAGE}
  ) AS chunk JOIN traces ON traces.number = chunk.trace ORDER BY chunk.number`

/** The owner epochs, each found in the index from the one before, and their newest chunks. */
const NEWEST = `WITH RECURSIVE process AS (
    (SELECT owner_epoch FROM span_chunks ORDER BY owner_epoch LIMIT 1)
    UNION ALL
    SELECT (SELECT owner_epoch FROM span_chunks WHERE owner_epoch > process.owner_epoch ORDER BY owner_epoch LIMIT 1)
    FROM process WHERE process.owner_epoch IS NOT NULL
  ) SELECT owner_epoch AS "ownerEpoch",
    (SELECT max(number) FROM span_chunks WHERE span_chunks.owner_epoch = process.owner_epoch) AS number
  FROM process WHERE owner_epoch IS NOT NULL`

export interface PostgresTraceDeps {
  readonly database: PostgresDatabase
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
}

/** A chunk and its trace. */
export interface TailedChunk extends TailPosition {
  readonly traceId: string
  readonly spans: string
}

/** Queries of spans. */
export class PostgresTraceReader {
  readonly #deps: PostgresTraceDeps

  constructor(deps: PostgresTraceDeps) {
    this.#deps = deps
  }

  /** Chunks overlap in time: all chunks are read that may contain a span of the page, or a later version of one. */
  async spans(traceId: string, { limit, after = '' }: SpanPage): Promise<StoredSpan[]> {
    const since = after === '' ? Number.MIN_SAFE_INTEGER : chunkTimes(after).at
    const found = new Map<string, FoundSpan>()
    let last: number | undefined
    for await (const chunk of this.#chunks(traceId, since)) {
      if (last !== undefined && chunk.firstAt > last) break
      for (const span of spansIn(chunk.spans)) {
        const isLater = (found.get(span.spanId)?.chunk.number ?? -1) < chunk.number
        if (span.spanId > after && isLater) found.set(span.spanId, { ...span, traceId, chunk })
      }
      if (found.size >= limit) last ??= chunkTimes([...found.keys()].toSorted()[limit - 1] ?? '').at
    }
    const page = [...found.values()].toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1)).slice(0, limit)
    return this.#stored(page)
  }

  async span(spanId: string): Promise<StoredSpan | undefined> {
    const { at, from } = chunkTimes(spanId)
    if (Number.isNaN(at)) return undefined
    const [chunk] = await this.#deps.database.rows<Chunk & { readonly traceId: string }>({
      name: 'find-span',
      text: `SELECT chunk.*, traces.trace_id AS "traceId" FROM (
          SELECT trace, ${CHUNK} FROM span_chunks
          WHERE first_at BETWEEN $1 AND $2 AND last_at >= $2 AND strpos(spans, $3) > 0 ORDER BY number DESC LIMIT 1
        ) AS chunk JOIN traces ON traces.number = chunk.trace`,
      values: [from, at, `{"spanId":"${spanId}"`],
    })
    const span = chunk && spansIn(chunk.spans).find((one) => one.spanId === spanId)
    if (!span) return undefined
    const [stored] = await this.#stored([{ ...span, traceId: chunk.traceId, chunk }])
    return stored
  }

  async totals(): Promise<TraceTotals> {
    const [row] = await this.#deps.database.rows<TraceTotals>({
      name: 'count-traces',
      text: `SELECT coalesce(sum(traces), 0)::bigint AS traces, coalesce(sum(spans), 0)::bigint AS spans FROM trace_days`,
    })
    return row ?? { traces: 0, spans: 0 }
  }

  newestOfAll(): Promise<readonly TailPosition[]> {
    return this.#deps.database.rows({ text: NEWEST })
  }

  after(positions: readonly TailPosition[]): Promise<readonly TailedChunk[]> {
    return this.#deps.database.rows({
      name: 'tail-spans',
      text: TAIL,
      values: [positions.map(({ ownerEpoch }) => ownerEpoch), positions.map(({ number }) => number)],
    })
  }

  /** The chunks of a trace with spans that started at `since` or later, in the order of their first span. */
  async *#chunks(traceId: string, since: number): AsyncGenerator<Chunk> {
    let after: Pick<Chunk, 'firstAt' | 'number'> = { firstAt: Number.MIN_SAFE_INTEGER, number: 0 }
    for (;;) {
      const chunks: Chunk[] = await this.#deps.database.rows<Chunk>({
        name: 'trace-chunks',
        text: `SELECT ${CHUNK} FROM span_chunks
          WHERE (trace, day) = (SELECT number, day FROM traces WHERE trace_id = $1)
            AND last_at >= $2 AND (first_at, number) > ($3, $4)
          ORDER BY first_at, number LIMIT ${CHUNK_PAGE}`,
        values: [traceId, since, after.firstAt, after.number],
      })
      yield* chunks
      const last = chunks.at(-1)
      if (chunks.length < CHUNK_PAGE || !last) return
      after = last
    }
  }

  async #stored(found: readonly FoundSpan[]): Promise<StoredSpan[]> {
    const { ownerEpoch: own, aliveEpochs } = this.#deps
    const hasOthers = found.some(({ chunk }) => chunk.ownerEpoch !== own)
    const alive = new Set([own, ...(hasOthers ? await aliveEpochs() : [])])
    return found.map(({ spanId, data, traceId, chunk }) => ({
      spanId,
      data,
      traceId,
      isOrphaned: !alive.has(chunk.ownerEpoch),
    }))
  }
}

interface Chunk extends TailPosition {
  readonly firstAt: number
  readonly spans: string
}

interface FoundSpan extends Omit<StoredSpan, 'isOrphaned'> {
  readonly chunk: TailPosition
}
