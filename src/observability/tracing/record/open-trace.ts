import type { SpanStatus } from '../../../contract/endpoints/trace.ts'
import type { SpanWrite, TraceChange } from '../../../store/trace-store.ts'
import type { SpanData } from '../span/span-data.ts'
import { statusOf } from '../span/span-data.ts'
import { entityOf, isModelCall, subjectsOf, tokensOf } from './span-subjects.ts'
import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import type { TokenCount, TraceSubject } from '../../../store/trace-store.ts'

/** A span that has not ended here. */
interface OpenSpanEntry {
  readonly span: SpanData
  /** Whether the store has been given it. */
  given: boolean
}

/** A trace while spans of it are open in this process, with what is not stored of it yet. */
export class OpenTrace {
  readonly id: string
  readonly startedAt: number
  /** The first span that started here. */
  readonly #first: SpanData
  readonly #text: (span: SpanData) => string
  #entity: { readonly span: SpanData; readonly entity: TraceEntity } | undefined
  #failed = false
  #decides = false
  #endedAt: number
  readonly #open = new Map<string, OpenSpanEntry>()
  #subjects: TraceSubject[] = []
  #usage: TokenCount | undefined
  #spans: SpanWrite[] = []

  /** `text` makes the text of a span that is stored. */
  constructor(first: SpanData, text: (span: SpanData) => string) {
    this.#first = first
    this.#text = text
    this.id = first.traceId
    this.startedAt = first.startTime
    this.#endedAt = this.startedAt
  }

  /** Whether all spans have ended. */
  get isOver(): boolean {
    return this.#open.size === 0
  }

  /** Spans that ended and are not stored yet. */
  get waiting(): number {
    return this.#spans.length
  }

  /** Of more than `most` open spans the oldest is let go: what is there of it is stored. */
  start(span: SpanData, most: number): void {
    if (!this.#entity) {
      const entity = entityOf(span)
      if (entity) this.#entity = { span, entity }
    }
    this.#decides ||= isOutermost(span)
    if (this.#open.size >= most) this.#letGo()
    this.#open.set(span.spanId, { span, given: false })
  }

  end(span: SpanData): void {
    const { spanId } = span
    // one that is not held any more was stored when it was let go
    const { given } = this.#open.get(spanId) ?? { given: true }
    this.#open.delete(spanId)
    this.#decides ||= isOutermost(span)
    const counts = isOutermost(span) || spanId === this.#entity?.span.spanId
    if (counts && statusOf(span) === 'error') this.#failed = true
    this.#endedAt = Math.max(this.#endedAt, span.endTime ?? 0)
    if (isModelCall(span)) this.#usage = tokensOf(span, this.#usage)
    this.#give(span, !given)
  }

  /** What is new of it, also of the spans that are still open, if asked for; `undefined` when nothing is. */
  take({ withOpen }: { readonly withOpen: boolean }): TraceChange | undefined {
    if (withOpen) this.#giveOpen()
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
    this.#spans = []
    this.#subjects = []
    this.#usage = undefined
    return change
  }

  #giveOpen(): void {
    for (const entry of this.#open.values()) {
      if (entry.given) continue
      entry.given = true
      this.#endedAt = Math.max(this.#endedAt, entry.span.startTime)
      this.#give(entry.span, true)
    }
  }

  #letGo(): void {
    const [oldest] = this.#open.values()
    if (!oldest) return
    this.#open.delete(oldest.span.spanId)
    if (!oldest.given) this.#give(oldest.span, true)
  }

  #give(span: SpanData, isNew: boolean): void {
    subjectsOf(span, this.#subjects)
    this.#spans.push({ spanId: span.spanId, isNew, data: this.#text(span) })
  }

  /** `undefined` where the spans here are details of something that was over before they started. */
  get #status(): SpanStatus | undefined {
    if (!this.#decides) return undefined
    if (!this.isOver) return 'running'
    return this.#failed ? 'error' : 'ok'
  }
}

/** Whether a span begins a trace, or goes on with one that came from elsewhere. */
function isOutermost({ parent }: SpanData): boolean {
  return parent === undefined || parent.isRemote === true
}
