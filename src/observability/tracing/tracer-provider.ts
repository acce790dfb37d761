import type { Attributes, TracerProvider } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { IdGenerator, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { lazy } from '../../lib/async/lazy.ts'
import { otelSdk } from './otel-sdk.ts'
import { SdkSpan } from './span/sdk-span.ts'
import { MAX_ATTRIBUTE_CHARACTERS, MAX_ATTRIBUTES } from './span/span-limits.ts'
import type { SpanListener } from './record/span-listener.ts'
import { INHERITED } from './trace-context.ts'

interface ProviderOptions {
  /** Whether spans are recorded. Called for each span. */
  readonly records: () => boolean
  readonly ids: IdGenerator
  readonly resource: () => Resource
  readonly listener: Required<SpanListener>
}

/** The tracer provider for user code and libraries: the SDK's, created for the first tracer. */
export function tracerProvider({ records, ids, resource, listener }: ProviderOptions): TracerProvider {
  const provider = lazy(() => {
    const { BasicTracerProvider, SamplingDecision } = otelSdk()
    const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision
    return new BasicTracerProvider({
      resource: resource(),
      // the sampling decision of callers is ignored: every trace can be looked at here
      sampler: { shouldSample: () => ({ decision: records() ? RECORD_AND_SAMPLED : NOT_RECORD }) },
      idGenerator: ids,
      spanLimits: {
        attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS,
        attributeCountLimit: MAX_ATTRIBUTES,
      },
      spanProcessors: [processor(listener)],
    })
  })
  return { getTracer: (name, version, options) => provider().getTracer(name, version, options) }
}

/** Passes the SDK's spans to the listener. */
function processor(listener: Required<SpanListener>): SpanProcessor {
  return {
    onStart: (span, context) => {
      const inherited = context.getValue(INHERITED)
      if (inherited) span.setAttributes(inherited as Attributes)
      listener.onStart(new SdkSpan(span))
    },
    onEnd: (span) => listener.onEnd(new SdkSpan(span)),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
}
