import type { SpanWrite, TokenCount, TraceChange } from '../../trace-store.ts'

/** One change for each trace, in the order of the trace ids: a statement can change a row only once. */
export function mergeChanges(changes: readonly TraceChange[]): TraceChange[] {
  const merged = new Map<string, TraceChange>()
  for (const change of changes) {
    const before = merged.get(change.traceId)
    merged.set(change.traceId, before ? merge(before, change) : change)
  }
  return [...merged.values()].toSorted((a, b) => (a.traceId < b.traceId ? -1 : 1))
}

function merge(one: TraceChange, next: TraceChange): TraceChange {
  return {
    ...(!one.entity && next.entity ? next : one),
    startedAt: Math.min(one.startedAt, next.startedAt),
    endedAt: Math.max(one.endedAt, next.endedAt),
    kind: one.kind,
    status: next.status ?? one.status,
    usage: sumOf(one.usage, next.usage),
    subjects: [...one.subjects, ...next.subjects],
    spans: mergeSpans([...one.spans, ...next.spans]),
  }
}

/** Each span once, in its last version. */
function mergeSpans(spans: readonly SpanWrite[]): SpanWrite[] {
  const merged = new Map<string, SpanWrite>()
  for (const span of spans) {
    const isNew = span.isNew || merged.get(span.spanId)?.isNew === true
    merged.set(span.spanId, isNew === span.isNew ? span : { ...span, isNew })
  }
  return [...merged.values()]
}

function sumOf(one: TokenCount | undefined, other: TokenCount | undefined): TokenCount | undefined {
  if (!one || !other) return one ?? other
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costNano: one.costNano === null || other.costNano === null ? null : one.costNano + other.costNano,
  }
}
