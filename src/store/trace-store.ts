import type { ConversationKey } from './agents/conversation-store.ts'
import type { SpanKind, SpanStatus, TraceEntity } from '../contract/endpoints/trace.ts'

/** Storage of traces. Times are milliseconds since the epoch. */
export interface TraceStore {
  /** Adds spans to traces, in one transaction. */
  write(changes: readonly TraceChange[]): Promise<void>
  /** Newest first; traces of the same millisecond in the reverse order of their first write. */
  list(filter: TraceFilter, page: TracePage): Promise<readonly TraceRow[]>
  get(traceId: string): Promise<TraceRow | undefined>
  /** In the order of their ids, which is that of their start. */
  spans(traceId: string, page: SpanPage): Promise<readonly StoredSpan[]>
  span(spanId: string): Promise<StoredSpan | undefined>
  totals(): Promise<TraceTotals>
  /** Marks running traces of processes that have died as failed. Returns their number. */
  endOrphaned(): Promise<number>
  /** Deletes those of these traces that have no spans of others than those that are erased. */
  delete(traceIds: readonly string[], erased: ErasedSpans): Promise<DeletedTraces>
  /**
   * Removes what erased spans in these traces contain: of a conversation, prompts, answers, arguments and results of
   * tools; of executions and a user, also inputs, outputs, errors, and the user.
   */
  eraseContent(traceIds: readonly string[], erased: ErasedSpans): Promise<void>
  /**
   * Deletes up to `limit` spans of traces that ended before `before`, or beyond the newest `keep` spans, and traces
   * without spans; or at once all traces of a day. Returns the number of deleted spans.
   */
  prune(retention: { readonly before: number; readonly keep: number }, limit: number): Promise<number>
  /**
   * Calls `listener` with the spans that other processes store, about half a second later, until the returned function
   * is called. An open span is stored again when it has ended.
   */
  follow(listener: (spans: readonly StoredSpan[]) => void): () => void
}

/** New spans of a trace, with the members of the trace that they change. */
export interface TraceChange {
  readonly traceId: string
  readonly startedAt: number
  /** The latest end of a span so far. */
  readonly endedAt: number
  readonly name: string
  readonly kind: SpanKind
  /** `undefined` if the new spans do not change it. */
  readonly status: SpanStatus | undefined
  readonly entity: TraceEntity | undefined
  readonly usage: TokenCount | undefined
  readonly subjects: readonly TraceSubject[]
  readonly spans: readonly SpanWrite[]
}

export interface TokenCount {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Nano-dollars; null when the cost of a model call is unknown. */
  readonly costNano: number | null
}

/** Ids by which traces can be filtered. */
export const SUBJECTS = ['workflowId', 'executionId', 'agentId', 'conversationId', 'userId'] as const
export type Subject = (typeof SUBJECTS)[number]
/** The entity types of subjects that can be the entity of a whole trace. */
export const ENTITY_OF: Readonly<Partial<Record<Subject, TraceEntity['type']>>> = {
  workflowId: 'workflow',
  agentId: 'agent',
}
export type TraceSubject = readonly [subject: Subject, id: string]

/** A span in JSON. An open span is written again when it has ended. */
export interface SpanText {
  /** 16 hexadecimal digits; the first 12 are the start time in milliseconds since the epoch. */
  readonly spanId: string
  /** JSON text of an object on one line, without the id. */
  readonly data: string
}

export interface StoredSpan extends SpanText {
  readonly traceId: string
  /** Written by a process that has died: an open span will not end any more. */
  readonly isOrphaned: boolean
}

export interface SpanWrite extends SpanText {
  /** Whether this is the first write of the span. */
  readonly isNew: boolean
}

export interface TraceRow extends Pick<TraceChange, 'traceId' | 'startedAt' | 'endedAt' | 'name' | 'kind'> {
  /** Sequential number of the trace. */
  readonly number: number
  readonly status: SpanStatus
  readonly spanCount: number
  readonly entity: TraceEntity | undefined
  readonly usage: TokenCount | undefined
}

export interface TraceFilter extends Partial<Readonly<Record<Subject, string | undefined>>> {
  readonly traceId?: string | undefined
  readonly status?: SpanStatus | undefined
  /** Start time, exclusive. */
  readonly from?: number | undefined
  /** Start time, exclusive. */
  readonly to?: number | undefined
  readonly minDurationMs?: number | undefined
  /** Words in the name, in any order and case. */
  readonly words?: readonly string[] | undefined
}

export interface TracePage {
  readonly limit: number
  /** The last trace of the previous page. */
  readonly after?: Pick<TraceRow, 'startedAt' | 'number'> | undefined
}

/** The spans of executions, of a conversation, and of a user. */
export interface ErasedSpans {
  readonly executionIds: readonly string[]
  readonly conversation?: ConversationKey | undefined
  readonly userId?: string | undefined
}

export interface DeletedTraces {
  /** How many spans were deleted. */
  readonly spans: number
  /** The ids of the traces that were not deleted, as they have spans of others. */
  readonly shared: readonly string[]
}

export interface SpanPage {
  readonly limit: number
  /** Id of the last span of the previous page. */
  readonly after?: string | undefined
}

export interface TraceTotals {
  readonly traces: number
  readonly spans: number
}
