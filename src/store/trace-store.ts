import type { SpanKind, SpanStatus, TraceEntity } from '../contract/endpoints/trace.ts'

/** Where traces are kept. Instants are milliseconds since the epoch. */
export interface TraceStore {
  /** Adds to traces, in one transaction. */
  write(changes: readonly TraceChange[]): Promise<void>
  /** Newest first; of those that started in one millisecond, the last stored. */
  list(filter: TraceFilter, page: TracePage): Promise<readonly TraceRow[]>
  get(traceId: string): Promise<TraceRow | undefined>
  /** In the order of their ids, which is the one in which they started. */
  spans(traceId: string, page: SpanPage): Promise<readonly StoredSpan[]>
  span(spanId: string): Promise<StoredSpan | undefined>
  totals(): Promise<TraceTotals>
  /** Marks as failed what an earlier owner left running; how many traces there were. */
  endOrphaned(): Promise<number>
  /**
   * Deletes up to `limit` spans, with the traces that have no others, of traces without a span that started or
   * ended since `before`, or beyond the newest `keep` spans; how many spans were deleted.
   */
  prune(retention: { readonly before: number; readonly keep: number }, limit: number): Promise<number>
}

/** What is new of one trace. */
export interface TraceChange {
  readonly traceId: string
  readonly startedAt: number
  /** The last that is known of it. */
  readonly endedAt: number
  readonly name: string
  readonly kind: SpanKind
  /** `undefined` when what is new does not tell. */
  readonly status: SpanStatus | undefined
  readonly entity: TraceEntity | undefined
  readonly usage: TokenCount | undefined
  readonly subjects: readonly TraceSubject[]
  readonly spans: readonly SpanWrite[]
}

export interface TokenCount {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What traces are found by. */
export const SUBJECTS = ['workflowId', 'executionId', 'agentId', 'conversationId', 'userId'] as const
export type Subject = (typeof SUBJECTS)[number]
/** The subjects that traces may be about as a whole. */
export const ENTITY_OF: Readonly<Partial<Record<Subject, TraceEntity['type']>>> = {
  workflowId: 'workflow',
  agentId: 'agent',
}
export type TraceSubject = readonly [subject: Subject, id: string]

/** A span as JSON text. One that is open is written again when it has ended. */
export interface SpanText {
  /** 16 hexadecimal digits, of which the first 12 are the milliseconds since the epoch at which it started. */
  readonly spanId: string
  readonly data: string
}

export interface StoredSpan extends SpanText {
  readonly traceId: string
  /** Written by an earlier owner: if it had not ended then, it never will. */
  readonly isOrphaned: boolean
}

export interface SpanWrite extends SpanText {
  /** Whether the span was not written before. */
  readonly isNew: boolean
}

export interface TraceRow extends Pick<TraceChange, 'traceId' | 'startedAt' | 'endedAt' | 'name' | 'kind'> {
  /** Counted up with each trace that is stored. */
  readonly number: number
  readonly status: SpanStatus
  readonly spanCount: number
  readonly entity: TraceEntity | undefined
  readonly usage: TokenCount | undefined
}

export interface TraceFilter extends Partial<Readonly<Record<Subject, string | undefined>>> {
  readonly status?: SpanStatus | undefined
  /** Started after, exclusive. */
  readonly from?: number | undefined
  /** Started before, exclusive. */
  readonly to?: number | undefined
  readonly minDurationMs?: number | undefined
  /** Words that the name has, whatever their order and case. */
  readonly words?: readonly string[] | undefined
}

export interface TracePage {
  readonly limit: number
  /** Only what stands behind this trace. */
  readonly after?: Pick<TraceRow, 'startedAt' | 'number'> | undefined
}

export interface SpanPage {
  readonly limit: number
  /** Only those behind this span. */
  readonly after?: string | undefined
}

export interface TraceTotals {
  readonly traces: number
  readonly spans: number
}
