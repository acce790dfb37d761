import type { Span } from '../../../contract/endpoints/trace.ts'
import { statusOf } from './span-data.ts'
import type { SpanData } from './span-data.ts'

/**
 * A span as it is stored in JSON, without its ids. Times are milliseconds since the epoch, with three decimals. Empty
 * members are left out.
 */
export interface SpanRecord extends Pick<Span, 'name' | 'kind' | 'status' | 'attributes'> {
  /** Absent on the first span of a trace. */
  readonly parentSpanId?: string | undefined
  readonly startTime: number
  /** Absent until the span has ended. */
  readonly endTime?: number | undefined
  readonly statusMessage?: string | undefined
  readonly events?: readonly SpanEventRecord[] | undefined
  readonly links?: readonly SpanLinkRecord[] | undefined
}

interface SpanEventRecord {
  readonly name: string
  readonly time: number
  readonly attributes: object
}

interface SpanLinkRecord {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: object
}

export function spanRecord(span: SpanData): SpanRecord {
  const { name, kind, parent, startTime, endTime, statusMessage, attributes, events, links } = span
  return {
    parentSpanId: parent?.spanId,
    name,
    kind,
    startTime: toMicros(startTime),
    endTime: endTime === undefined ? undefined : toMicros(endTime),
    status: statusOf(span),
    statusMessage,
    attributes,
    events: events.length === 0 ? undefined : events.map((event) => eventRecord(event)),
    links: links.length === 0 ? undefined : links.map((link) => linkRecord(link)),
  }
}

export function encodeSpan(span: SpanData): string {
  return JSON.stringify(spanRecord(span))
}

/** @throws SyntaxError when the text is not the JSON of a span. */
export function decodeSpan(text: string): SpanRecord {
  const record = JSON.parse(text) as SpanRecord
  if (typeof record.startTime !== 'number') throw new SyntaxError('The span has no start time')
  return record
}

function eventRecord({ name, time, attributes }: SpanData['events'][number]): SpanEventRecord {
  return { name, time: toMicros(time), attributes }
}

function linkRecord({ context: { traceId, spanId }, attributes }: SpanData['links'][number]): SpanLinkRecord {
  return { traceId, spanId, attributes }
}

function toMicros(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
