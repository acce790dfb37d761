import type { SpanStatus } from '../../../contract/endpoints/trace.ts'
import type { SpanWrite, TraceChange } from '../../../store/trace-store.ts'
import type { SpanData } from '../span/span-data.ts'
import { statusOf } from '../span/span-data.ts'
import { entityOf, isModelCall, subjectsOf, tokensOf } from './span-subjects.ts'
import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import type { TokenCount, TraceSubject } from '../../../store/trace-store.ts'

/** A span that has not ended. */
interface OpenSpanEntry {
  readonly span: SpanData
  /** Whether it was handed to the store. */
  stored: boolean
}

/** A trace with open spans in this process, and its spans that are not stored yet. */
export class OpenTrace {
  readonly id: string
  readonly startedAt: number
  /** Nothing of it was handed to the store. */
  isNew = true
  /** The first span of the trace in this process. */
  readonly #first: SpanData
  readonly #encode: (span: SpanData) => string
  #entity: { readonly span: SpanData; readonly entity: TraceEntity } | undefined
  #failed = false
  /** Whether a span here determines the status of the trace. */
  #hasOutermost = false
  #endedAt: number
  readonly #open = new Map<string, OpenSpanEntry>()
  #subjects: TraceSubject[] = []
  #usage: TokenCount | undefined
  #spans: SpanWrite[] = []

  /** `encode` returns the JSON of a span. */
  constructor(first: SpanData, encode: (span: SpanData) => string) {
    this.#first = first
    this.#encode = encode
    this.id = first.traceId
    this.startedAt = first.startTime
    this.#endedAt = this.startedAt
  }

  /** Whether all spans have ended. */
  get isOver(): boolean {
    return this.#open.size === 0
  }

  /** Number of ended spans that are not stored yet. */
  get waiting(): number {
    return this.#spans.length
  }

  /** Adds an open span. Beyond `maxOpen`, the oldest open span is stored as it is and forgotten. */
  start(span: SpanData, maxOpen: number): void {
    if (!this.#entity) {
      const entity = entityOf(span)
      if (entity) this.#entity = { span, entity }
    }
    this.#hasOutermost ||= isOutermost(span)
    if (this.#open.size >= maxOpen) this.#evict()
    this.#open.set(span.spanId, { span, stored: false })
  }

  end(span: SpanData): void {
    const { spanId } = span
    // a forgotten span was stored when it was evicted
    const { stored } = this.#open.get(spanId) ?? { stored: true }
    this.#open.delete(spanId)
    this.#hasOutermost ||= isOutermost(span)
    const counts = isOutermost(span) || spanId === this.#entity?.span.spanId
    if (counts && statusOf(span) === 'error') this.#failed = true
    this.#endedAt = Math.max(this.#endedAt, span.endTime ?? 0)
    if (isModelCall(span)) this.#usage = tokensOf(span, this.#usage)
    this.#add(span, !stored)
  }

  /** Removes and returns the spans to store, on request with the open ones; `undefined` if there are none. */
  take({ withOpen }: { readonly withOpen: boolean }): TraceChange | undefined {
    if (withOpen) this.#addOpen()
    if (this.#spans.length === 0) return undefined
    const change = {
      traceId: this.id,
      startedAt: this.startedAt,
      endedAt: this.#endedAt,
      name: (this.#entity?.span ?? this.#first).name,
      kind: this.#first.kind,
      status: this.#status,
      entity: this.#entity?.entity,
      usage: this.#usage,
      subjects: this.#subjects,
      spans: this.#spans,
    }
    this.isNew = false
    this.#spans = []
    this.#subjects = []
    this.#usage = undefined
    return change
  }

  #addOpen(): void {
    for (const entry of this.#open.values()) {
      if (entry.stored) continue
      entry.stored = true
      this.#endedAt = Math.max(this.#endedAt, entry.span.startTime)
      this.#add(entry.span, true)
    }
  }

  #evict(): void {
    const [oldest] = this.#open.values()
    if (!oldest) return
    this.#open.delete(oldest.span.spanId)
    if (!oldest.stored) this.#add(oldest.span, true)
  }

  #add(span: SpanData, isNew: boolean): void {
    subjectsOf(span, this.#subjects)
    this.#spans.push({ spanId: span.spanId, isNew, data: this.#encode(span) })
  }

  /** `undefined` if the spans do not determine it: they are children of a span that is not in this process. */
  get #status(): SpanStatus | undefined {
    if (!this.#hasOutermost) return undefined
    if (!this.isOver) return 'running'
    return this.#failed ? 'error' : 'ok'
  }
}

/** Whether a span is the first of its trace in this process. */
function isOutermost({ parent }: SpanData): boolean {
  return parent === undefined || parent.isRemote === true
}
