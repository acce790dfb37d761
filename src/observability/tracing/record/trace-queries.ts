import type { Span, TraceDetail, TraceSummary, TraceUsage } from '../../../contract/endpoints/trace.ts'
import { fromNanoDollars } from '../../../contract/usage/cost.ts'
import { toIso } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type {
  DeletedTraces,
  ErasedSpans,
  TokenCount,
  TraceFilter,
  TraceRow,
  TraceStore,
  TraceTotals,
} from '../../../store/trace-store.ts'
import { flushWithin } from '../../../lib/async/flush-within.ts'
import { toSpan } from '../span/to-span.ts'

export interface TraceListing {
  readonly traces: readonly TraceSummary[]
  /** Cursor of the next page; `undefined` on the last. */
  readonly nextCursor: string | undefined
}

export interface TracePart {
  readonly trace: TraceDetail
  /** Cursor of the next spans; `undefined` on the last page. */
  readonly nextCursor: string | undefined
}

export interface ListingOptions {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Spans are written much faster, unless the database is away. */
const MAX_WAIT_MS = 2000

/** Queries of traces. `flush` stores the spans that are not stored yet. */
export class TraceQueries {
  readonly #store: TraceStore
  readonly #flush: () => Promise<void>

  constructor(store: TraceStore, flush: () => Promise<void>) {
    this.#store = store
    this.#flush = () => flushWithin(MAX_WAIT_MS, flush)
  }

  /**
   * Deletes those of these traces that have spans of what is erased only, and removes its content from the others.
   */
  async erase(traceIds: readonly string[], erased: ErasedSpans): Promise<DeletedTraces> {
    await this.#flush()
    const deleted = await this.#store.delete(traceIds, erased)
    await this.#store.eraseContent(deleted.shared, erased)
    return deleted
  }

  async list(filter: TraceFilter, { limit, cursor }: ListingOptions): Promise<TraceListing> {
    await this.#flush()
    const rows = await this.#store.list(filter, { limit: limit + 1, after: readCursor(cursor) })
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      traces: page.map((row) => toSummary(row)),
      nextCursor: last && `${last.startedAt}-${last.number}`,
    }
  }

  /** @throws AppError `not_found` */
  async trace(traceId: string, { limit, cursor }: ListingOptions): Promise<TracePart> {
    const row = await this.summary(traceId)
    const rows = await this.#store.spans(traceId, { limit: limit + 1, after: cursor })
    const spans = rows.slice(0, limit).map((row) => toSpan(row))
    const truncated = rows.length > limit
    return {
      trace: {
        traceId,
        spans: spans.toSorted((a, b) => compare(a.startTime, b.startTime) || compare(a.spanId, b.spanId)),
        spanCount: row.spanCount,
        truncated,
      },
      nextCursor: truncated ? rows[limit - 1]?.spanId : undefined,
    }
  }

  /** @throws AppError `not_found` */
  async summary(traceId: string): Promise<TraceSummary> {
    await this.#flush()
    const row = await this.#store.get(traceId)
    if (!row) throw new AppError('not_found', `Trace not found: ${traceId}`)
    return toSummary(row)
  }

  /** @throws AppError `not_found` */
  async span(spanId: string): Promise<Span> {
    await this.#flush()
    const row = await this.#store.span(spanId)
    if (!row) throw new AppError('not_found', `Span not found: ${spanId}`)
    return toSpan(row)
  }

  async totals(): Promise<TraceTotals> {
    await this.#flush()
    return this.#store.totals()
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function readCursor(cursor: string | undefined): { startedAt: number; number: number } | undefined {
  if (cursor === undefined) return undefined
  const [startedAt = 0, number = 0] = cursor.split('-').map(Number)
  return { startedAt, number }
}

function toSummary(row: TraceRow): TraceSummary {
  const { traceId, name, kind, startedAt, endedAt, status, spanCount, usage, entity } = row
  return {
    traceId,
    name,
    kind,
    startTime: toIso(startedAt),
    durationMs: Math.max(0, Math.round((endedAt - startedAt) * 1000) / 1000),
    status,
    spanCount,
    usage: usage ? shownUsage(usage) : null,
    entity: entity ?? null,
  }
}

function shownUsage({ inputTokens, outputTokens, costNano }: TokenCount): TraceUsage {
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    costUsd: costNano === null ? null : fromNanoDollars(costNano),
  }
}
