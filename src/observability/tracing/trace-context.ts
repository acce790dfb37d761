import { createContextKey } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'

/** The key of a context's attributes that all spans below have. */
export const INHERITED = createContextKey('agentserver.inherited-attributes')

/** The propagator of W3C Trace Context. */
export const TRACE_CONTEXT = new W3CTraceContextPropagator()
