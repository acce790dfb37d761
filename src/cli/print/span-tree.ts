import type { Span } from '../../contract/endpoints/trace.ts'

/** A span with its tree lines. */
export interface SpanTreeRow {
  readonly span: Span
  /** The tree lines before the span's name. */
  readonly lead: string
}

/** The spans in tree order: each is followed by its children. Spans without a known parent are roots. */
export function spanTree(spans: readonly Span[]): SpanTreeRow[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const children = new Map<string | null, Span[]>()
  for (const span of spans) {
    const parent = span.parentSpanId !== null && ids.has(span.parentSpanId) ? span.parentSpanId : null
    children.set(parent, [...(children.get(parent) ?? []), span])
  }
  const rows: SpanTreeRow[] = []
  // not recursive: a trace can be deeper than the call stack
  const stack: PendingRow[] = nested(children.get(null) ?? [], undefined)
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { span, lead, below } = next
    rows.push({ span, lead })
    stack.push(...nested(children.get(span.spanId) ?? [], below))
  }
  return rows
}

interface PendingRow extends SpanTreeRow {
  /** The indentation of its children. */
  readonly below: string
}

/** Rows for sibling spans, last first, because they are taken from the end. */
function nested(spans: readonly Span[], indent: string | undefined): PendingRow[] {
  return spans
    .map((span, index) => {
      if (indent === undefined) return { span, lead: '', below: '' }
      const isLast = index === spans.length - 1
      return { span, lead: `${indent}${isLast ? '└─ ' : '├─ '}`, below: `${indent}${isLast ? '   ' : '│  '}` }
    })
    .toReversed()
}
