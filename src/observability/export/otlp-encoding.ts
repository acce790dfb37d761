import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanData } from '../tracing/span/span-data.ts'
import type { ExportSettings } from './export-settings.ts'

/** Encodes spans as OTLP 1 request bodies, and decodes the number of spans that a collector rejected. */
export interface OtlpEncoding {
  readonly encode: (spans: readonly SpanData[]) => Uint8Array
  readonly decodeRejected: (response: Uint8Array) => { readonly spans: number; readonly reason: string }
}

export function otlpEncoding({ encoding, resource }: ExportSettings): OtlpEncoding {
  const serializer = encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer
  const own = resourceFromAttributes(resource)
  const resources = new Map<Resource, Resource>()
  /** The resource with our attributes, one object for each: the serializer groups spans by identity. */
  const resourceOf = (original: Resource) => {
    const merged = resources.get(original) ?? original.merge(own)
    resources.set(original, merged)
    return merged
  }
  return {
    encode: (spans) => {
      const named = spans.map((one) => {
        const span = one.toReadableSpan()
        return Object.create(span, { resource: { value: resourceOf(span.resource) } })
      })
      return serializer.serializeRequest(named as ReadableSpan[]) ?? new Uint8Array()
    },
    decodeRejected: (response) => {
      const { partialSuccess } = deserialize(serializer, response)
      const { rejectedSpans = 0, errorMessage = '' } = partialSuccess ?? {}
      return { spans: Number(rejectedSpans), reason: errorMessage }
    },
  }
}

type Serializer = typeof JsonTraceSerializer

function deserialize(
  serializer: Pick<Serializer, 'deserializeResponse'>,
  response: Uint8Array,
): ReturnType<Serializer['deserializeResponse']> {
  if (response.byteLength === 0) return {}
  try {
    return serializer.deserializeResponse(response)
  } catch {
    // the collector accepted the spans; a body that is not OTLP does not change that
    return {}
  }
}
