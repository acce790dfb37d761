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

/** The spans below each span by its id, in their order; those without a parent are below ''. */
export function spansByParent(spans: readonly Span[]): ReadonlyMap<string, readonly Span[]> {
  const below = new Map<string, Span[]>()
  for (const span of spans) {
    const parent = span.parentSpanId ?? ''
    const siblings = below.get(parent)
    if (siblings) siblings.push(span)
    else below.set(parent, [span])
  }
  return below
}

/** The spans of a trace as a tree. Spans without a known parent are roots; so is one span of a cycle. */
export function spanTree(spans: readonly Span[]): TreeSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const sorted = spans.toSorted(earlierFirst)
  const below = spansByParent(sorted)
  const roots = sorted.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId))
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
