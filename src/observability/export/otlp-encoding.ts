import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanData } from '../tracing/span/span-data.ts'
import type { ExportSettings } from './export-settings.ts'

/** Spans as bodies of requests (OTLP 1), and what a collector says of those it did not take. */
export interface OtlpEncoding {
  readonly encode: (spans: readonly SpanData[]) => Uint8Array
  readonly rejected: (answer: Uint8Array) => { readonly spans: number; readonly reason: string }
}

export function otlpEncoding({ encoding, resource }: ExportSettings): OtlpEncoding {
  const serializer = encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer
  const own = resourceFromAttributes(resource)
  const resources = new Map<Resource, Resource>()
  /** One object per resource: spans are grouped by it. */
  const resourceOf = (original: Resource) => {
    const merged = resources.get(original) ?? original.merge(own)
    resources.set(original, merged)
    return merged
  }
  return {
    encode: (spans) => {
      const named = spans.map((one) => {
        const span = one.readable()
        return Object.create(span, { resource: { value: resourceOf(span.resource) } })
      })
      return serializer.serializeRequest(named as ReadableSpan[]) ?? new Uint8Array()
    },
    rejected: (answer) => {
      const { partialSuccess } = deserialized(serializer, answer)
      const { rejectedSpans = 0, errorMessage = '' } = partialSuccess ?? {}
      return { spans: Number(rejectedSpans), reason: errorMessage }
    },
  }
}

type Serializer = typeof JsonTraceSerializer

function deserialized(
  serializer: Pick<Serializer, 'deserializeResponse'>,
  answer: Uint8Array,
): ReturnType<Serializer['deserializeResponse']> {
  if (answer.byteLength === 0) return {}
  try {
    return serializer.deserializeResponse(answer)
  } catch {
    // the spans were taken; what the collector says beside that is its own affair
    return {}
  }
}
