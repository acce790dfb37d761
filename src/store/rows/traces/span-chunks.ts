import type { SpanText, SpanWrite } from '../../trace-store.ts'
import { elementsOf, jsonArray } from '../json-array.ts'

/** Hexadecimal digits of a span id, and those of them that are the start time in milliseconds since the epoch. */
const ID_DIGITS = 16
const TIME_DIGITS = 12
/** In SQLite, the number of a chunk is that of its trace multiplied by this, plus its index. */
export const CHUNKS_PER_TRACE = 1_048_576
/** Maximum time between the first and the last span of a chunk, so that the id of a span leads to few chunks. */
const CHUNK_MS = 1000

export interface SpanChunk {
  /** Number of spans that are written for the first time. */
  readonly added: number
  /** Start of the first and the last span, in milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
  /** A JSON array of spans. */
  readonly spans: string
}

/** Groups spans of a trace into chunks, one row each. */
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

/** The start time in a span id, and the earliest start of a chunk that may contain the span. */
export function chunkTimes(spanId: string): { readonly at: number; readonly from: number } {
  const at = timeOf({ spanId })
  return { at, from: at - CHUNK_MS }
}

const PREFIX = '{"spanId":"'

/** The number of the first chunk of a trace in SQLite. */
export function firstChunk(trace: number): number {
  return trace * CHUNKS_PER_TRACE
}

/** The beginning of a span in a chunk. It is fixed, so that ids are found and read without parsing. */
export function elementStart(spanId: string): string {
  return `${PREFIX}${spanId}"`
}

/** A span as an element of a chunk. */
export function elementOf({ spanId, data }: SpanText): string {
  return `${elementStart(spanId)},${data.slice(1)}`
}

/** The spans of a chunk. */
export function spansIn(spans: string): SpanText[] {
  const end = PREFIX.length + ID_DIGITS
  return elementsOf(spans).map((element) => ({
    spanId: element.slice(PREFIX.length, end),
    data: `{${element.slice(end + '",'.length)}`,
  }))
}

function timeOf({ spanId }: Pick<SpanText, 'spanId'>): number {
  return Number.parseInt(spanId.slice(0, TIME_DIGITS), 16)
}
