import type { TracerProvider } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { IdGenerator, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { lazy } from '../../lib/async/lazy.ts'
import { otelSdk } from './otel-sdk.ts'
import { SdkSpan } from './span/sdk-span.ts'
import { MAX_ATTRIBUTE_CHARACTERS, MAX_ATTRIBUTES } from './span/span-limits.ts'
import type { SpanListener } from './record/span-listener.ts'

interface ProviderOptions {
  /** Whether spans are recorded now. */
  readonly records: () => boolean
  readonly ids: IdGenerator
  readonly resource: () => Resource
  readonly listener: Required<SpanListener>
}

/** What others get their tracers from: the SDK's, made for the first who asks. */
export function tracerProvider({ records, ids, resource, listener }: ProviderOptions): TracerProvider {
  const provider = lazy(() => {
    const { BasicTracerProvider, SamplingDecision } = otelSdk()
    const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision
    return new BasicTracerProvider({
      resource: resource(),
      // what callers sample is theirs; here every trace is there to be looked at
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

/** Spans that others start with the SDK are told of like our own. */
function processor({ started, ended }: Required<SpanListener>): SpanProcessor {
  return {
    onStart: (span) => started(new SdkSpan(span)),
    onEnd: (span) => ended(new SdkSpan(span)),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
}
