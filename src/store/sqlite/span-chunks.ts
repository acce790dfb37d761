import type { SpanRow, SpanWrite } from '../trace-store.ts'

/** Digits of a span's id; the first of them are the milliseconds since the epoch at which it started. */
const ID_DIGITS = 16
const TIME_DIGITS = 12
/** Spans of a chunk start within this many milliseconds, so that it is found by the id of each. */
const CHUNK_MS = 1000

export interface SpanChunk {
  /** How many of its spans are new. */
  readonly added: number
  readonly first: string
  readonly last: string
  readonly text: string
}

/** Packs spans of a trace into as few rows as can be found again by the id of each. */
export function chunksOf(spans: readonly SpanWrite[]): SpanChunk[] {
  const sorted = spans.length < 2 ? spans : spans.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
  const groups: SpanWrite[][] = []
  let until = -1
  for (const span of sorted) {
    const startedAt = timeOf(span.spanId)
    if (startedAt < until) groups.at(-1)?.push(span)
    else {
      until = startedAt + CHUNK_MS
      groups.push([span])
    }
  }
  return groups.map((group) => ({
    added: group.reduce((count, { isNew }) => count + (isNew ? 1 : 0), 0),
    first: group[0]?.spanId ?? '',
    last: group.at(-1)?.spanId ?? '',
    text: group.map(({ spanId, data }) => spanId + data).join('\n'),
  }))
}

/** The smallest id with which a chunk may begin that has this span. */
export function earliestFirst(spanId: string): string {
  const time = Math.max(0, timeOf(spanId) - CHUNK_MS)
  return time.toString(16).padStart(TIME_DIGITS, '0')
}

/** The spans in the text of a chunk. */
export function spansIn(text: string): SpanRow[] {
  // JSON text has no line breaks of its own
  return text.split('\n').map((line) => ({ spanId: line.slice(0, ID_DIGITS), data: line.slice(ID_DIGITS) }))
}

function timeOf(spanId: string): number {
  return Number.parseInt(spanId.slice(0, TIME_DIGITS), 16)
}
