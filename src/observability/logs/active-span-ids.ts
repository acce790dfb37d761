import { context, trace } from '@opentelemetry/api'
import type { SpanIds } from '../../lib/telemetry/trace-scope.ts'

/** The ids of the active span in OpenTelemetry's context. */
export function activeSpanIds(): SpanIds | undefined {
  return trace.getSpanContext(context.active())
}
