import type { Span } from '../../contract/endpoints/trace.ts'

/** A span at its place in its trace. */
export interface SpanTreeRow {
  readonly span: Span
  /** Lines that lead from the spans above to this one. */
  readonly lead: string
}

/** The spans one below the other, each followed by those within it. Spans whose parent is not there stand outermost. */
export function spanTree(spans: readonly Span[]): SpanTreeRow[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const within = new Map<string | null, Span[]>()
  for (const span of spans) {
    const parent = span.parentSpanId !== null && known.has(span.parentSpanId) ? span.parentSpanId : null
    within.set(parent, [...(within.get(parent) ?? []), span])
  }
  const rows: SpanTreeRow[] = []
  // without recursion: a trace can be deeper than the stack
  const waiting: Waiting[] = nested(within.get(null) ?? [], undefined)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { span, lead, below } = next
    rows.push({ span, lead })
    waiting.push(...nested(within.get(span.spanId) ?? [], below))
  }
  return rows
}

interface Waiting extends SpanTreeRow {
  /** What stands before the spans within it. */
  readonly below: string
}

/** Last first, as they are taken from the end. */
function nested(spans: readonly Span[], indent: string | undefined): Waiting[] {
  return spans
    .map((span, index) => {
      if (indent === undefined) return { span, lead: '', below: '' }
      const isLast = index === spans.length - 1
      return { span, lead: `${indent}${isLast ? '└─ ' : '├─ '}`, below: `${indent}${isLast ? '   ' : '│  '}` }
    })
    .toReversed()
}
