import { createContextKey } from '@opentelemetry/api'
import type { TextMapPropagator } from '@opentelemetry/api'
import { lazy } from '../../lib/async/lazy.ts'
import { otelCore } from './otel-sdk.ts'

const propagator = lazy(() => new (otelCore().W3CTraceContextPropagator)())

/** The key of a context's attributes that all spans below have. */
export const INHERITED = createContextKey('agentserver.inherited-attributes')

/** The propagator of W3C Trace Context, loaded on first use. */
export const TRACE_CONTEXT: TextMapPropagator = {
  inject: (context, carrier, setter) => propagator().inject(context, carrier, setter),
  extract: (context, carrier, getter) => propagator().extract(context, carrier, getter),
  fields: () => propagator().fields(),
}
