import type { TextMapPropagator } from '@opentelemetry/api'
import { lazy } from '../../lib/async/lazy.ts'
import { otelCore } from './otel-sdk.ts'

const propagator = lazy(() => new (otelCore().W3CTraceContextPropagator)())

/** W3C Trace Context: how places in traces are told to other processes. */
export const TRACE_CONTEXT: TextMapPropagator = {
  inject: (context, carrier, setter) => propagator().inject(context, carrier, setter),
  extract: (context, carrier, getter) => propagator().extract(context, carrier, getter),
  fields: () => propagator().fields(),
}
