import type { Span } from '../../../contract/endpoints/trace.ts'

/** A span with its position in the tree, in depth-first order. */
export interface TreeSpan {
  readonly span: Span
  readonly depth: number
  readonly hasChildren: boolean
  readonly start: number
  /** Undefined while the span is running. */
  readonly end: number | undefined
  /** The parent span is missing. */
  readonly isOrphan: boolean
}

/** The spans of a trace as a tree. Spans without a known parent are roots; so is one span of a cycle. */
export function spanTree(spans: readonly Span[]): TreeSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const below = new Map<string, Span[]>()
  const roots: Span[] = []
  for (const span of spans.toSorted(earlierFirst)) {
    const { parentSpanId } = span
    if (parentSpanId === null || !ids.has(parentSpanId)) roots.push(span)
    else {
      const siblings = below.get(parentSpanId)
      if (siblings) siblings.push(span)
      else below.set(parentSpanId, [span])
    }
  }
  const placed: TreeSpan[] = []
  const seen = new Set<string>()
  const walk = (root: Span) => {
    // iterative: traces may be deeper than the call stack
    const stack = [{ span: root, depth: 0 }]
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { span, depth } = next
      if (seen.has(span.spanId)) continue
      seen.add(span.spanId)
      const children = below.get(span.spanId) ?? []
      placed.push(place(span, { depth, hasChildren: children.length > 0 }))
      for (const child of children.toReversed()) stack.push({ span: child, depth: depth + 1 })
    }
  }
  for (const root of roots) walk(root)
  if (seen.size < ids.size) for (const span of spans) if (!seen.has(span.spanId)) walk(span)
  return placed
}

function place(span: Span, at: { readonly depth: number; readonly hasChildren: boolean }): TreeSpan {
  const start = Date.parse(span.startTime)
  return {
    span,
    ...at,
    start,
    end: span.durationMs === null ? undefined : start + span.durationMs,
    isOrphan: at.depth === 0 && span.parentSpanId !== null,
  }
}

function earlierFirst(a: Span, b: Span): number {
  if (a.startTime !== b.startTime) return a.startTime < b.startTime ? -1 : 1
  return a.spanId < b.spanId ? -1 : 1
}
