import type { Span, TraceDetail } from '../../../src/contract/endpoints/trace.ts'
import { dataOf } from '../server/responses.ts'
import type { TestServer } from '../server/test-server.ts'

const DEV = { headers: { 'x-service-dev': 'true' } }

export async function spansOf(server: TestServer, traceId: string): Promise<readonly Span[]> {
  return (await dataOf<TraceDetail>(server.request(`/observability/traces/${traceId}`, DEV))).spans
}

/** The spans of a trace as lines `name [kind status]`, indented below their parents. */
export function treeOf(spans: readonly Span[]): string[] {
  const within = (parent: string | null, depth: number): string[] =>
    spans
      .filter((span) => span.parentSpanId === parent)
      .flatMap(({ name, kind, status, spanId }) => [
        `${'  '.repeat(depth)}${name} [${kind} ${status}]`,
        ...within(spanId, depth + 1),
      ])
  const known = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.map(({ parentSpanId }) => parentSpanId).filter((id) => id === null || !known.has(id))
  return [...new Set(roots)].flatMap((root) => within(root, 0))
}
