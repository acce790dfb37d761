import type { SpanText, SpanWrite } from '../../trace-store.ts'
import { elementsOf, jsonArray } from '../json-array.ts'

/** Digits of a span's id; the first of them are the milliseconds since the epoch at which it started. */
const ID_DIGITS = 16
const TIME_DIGITS = 12
/** Spans of a chunk start within this many milliseconds, so that it is found by the id of each. */
const CHUNK_MS = 1000

export interface SpanChunk {
  /** How many of its spans are new. */
  readonly added: number
  /** Milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
  /** A JSON array of spans. */
  readonly spans: string
}

/** Numbers of chunks of a trace; see the table. */
const CHUNKS_A_TRACE = 1_048_576

/** The number of the first chunk that a trace may have. */
export function firstChunk(trace: number): number {
  return trace * CHUNKS_A_TRACE
}

export function traceOfChunk(number: number): number {
  return Math.floor(number / CHUNKS_A_TRACE)
}

/** Packs spans of a trace into as few rows as can be found again by the id of each. */
export function chunksOf(spans: readonly SpanWrite[]): SpanChunk[] {
  const sorted = inOrder(spans) ? spans : spans.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
  const chunks: SpanChunk[] = []
  for (let from = 0; from < sorted.length;) {
    const firstAt = timeOf(sorted[from] as SpanWrite)
    let to = from
    let lastAt = firstAt
    let added = 0
    const elements: string[] = []
    for (; to < sorted.length; to++) {
      const span = sorted[to] as SpanWrite
      const at = timeOf(span)
      if (at >= firstAt + CHUNK_MS) break
      lastAt = at
      if (span.isNew) added++
      elements.push(elementOf(span))
    }
    chunks.push({ added, firstAt, lastAt, spans: jsonArray(elements) })
    from = to
  }
  return chunks
}

function inOrder(spans: readonly SpanWrite[]): boolean {
  return spans.every((span, index) => index === 0 || (spans[index - 1] as SpanWrite).spanId < span.spanId)
}

/** The milliseconds in a span's id, and the earliest at which a chunk may begin that has it. */
export function chunkTimes(spanId: string): { readonly at: number; readonly from: number } {
  const at = timeOf({ spanId })
  return { at, from: at - CHUNK_MS }
}

/** What the JSON of a span begins with: its id can be found and read without parsing. */
const BEGIN = '{"spanId":"'

function elementOf({ spanId, data }: SpanText): string {
  return `${BEGIN}${spanId}",${data.slice(1)}`
}

/** The spans of a chunk. */
export function spansIn(spans: string): SpanText[] {
  const end = BEGIN.length + ID_DIGITS
  return elementsOf(spans).map((element) => ({
    spanId: element.slice(BEGIN.length, end),
    data: `{${element.slice(end + '",'.length)}`,
  }))
}

/** Whether a chunk has the span with this id. */
export function hasSpan(spans: string, spanId: string): boolean {
  return spans.includes(BEGIN + spanId)
}

function timeOf({ spanId }: Pick<SpanText, 'spanId'>): number {
  return Number.parseInt(spanId.slice(0, TIME_DIGITS), 16)
}
