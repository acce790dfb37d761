import { context, trace } from '@opentelemetry/api'
import type { SpanPlace } from '../../lib/telemetry/trace-scope.ts'

/** The span that the running code belongs to, by OpenTelemetry's active context. */
export function activePlace(): SpanPlace | undefined {
  return trace.getSpanContext(context.active())
}
