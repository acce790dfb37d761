import { context, trace } from '@opentelemetry/api'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

/** The span that the running code belongs to, by OpenTelemetry's active context. */
export function activeSpanIds(): SpanIds | undefined {
  return trace.getSpanContext(context.active())
}
