import { SpanKind, SpanStatus } from '../../../contract/endpoints/trace.ts'
import { ATTRIBUTE } from '../../../contract/attributes.ts'
import type { RecordedSpan } from './recorded-span.ts'
import { detailsOf, statusOf } from './to-api.ts'
import type { StoredSpan } from './stored-span.ts'

/** Names that stored spans have a number for. What is stored lives longer than a release: only add to the end. */
const NAMES: readonly string[] = [
  ATTRIBUTE.stepId,
  ATTRIBUTE.stepPath,
  ATTRIBUTE.stepType,
  ATTRIBUTE.stepAttempt,
  ATTRIBUTE.stepStatus,
  ATTRIBUTE.stepInput,
  ATTRIBUTE.stepOutput,
  ATTRIBUTE.operation,
  ATTRIBUTE.workflowName,
  ATTRIBUTE.workflowId,
  ATTRIBUTE.executionId,
  ATTRIBUTE.executionStatus,
  ATTRIBUTE.executionInput,
  ATTRIBUTE.executionOutput,
  ATTRIBUTE.userId,
  ATTRIBUTE.conversationId,
  ATTRIBUTE.httpMethod,
  ATTRIBUTE.httpRoute,
  ATTRIBUTE.urlPath,
  ATTRIBUTE.httpStatus,
  ATTRIBUTE.errorType,
]
const NUMBERS: ReadonlyMap<string, number> = new Map(NAMES.map((name, number) => [name, number]))
const KINDS = SpanKind.options
const STATUSES = SpanStatus.options

/** The digits of a span's id that are the milliseconds since the epoch. */
const TIME_DIGITS = 12

/** Name, kind, parent, start since the time in the id, duration, status, and names and values of attributes in turn. */
type Packed = readonly [string, number, string | 0, number, number | null, number, unknown[], Details?]
type Details = Pick<StoredSpan, 'statusMessage' | 'events' | 'links'>

/** A span as the text that is stored: short, since there are thousands a second. */
export function spanText(span: RecordedSpan): string {
  const { name, kind, attributes, parent, spanId, startTime, endTime } = span
  const pairs: unknown[] = []
  for (const key in attributes) pairs.push(NUMBERS.get(key) ?? key, attributes[key])
  const packed: unknown[] = [
    name,
    KINDS.indexOf(kind),
    parent?.spanId ?? 0,
    micros(startTime - timeIn(spanId)),
    endTime === undefined ? null : micros(endTime - startTime),
    STATUSES.indexOf(statusOf(span)),
    pairs,
  ] satisfies Packed
  const plain = span.statusMessage === undefined && span.events.length === 0 && span.links.length === 0
  if (!plain) packed.push(detailsOf(span))
  return JSON.stringify(packed)
}

/** @throws SyntaxError, TypeError when the text is damaged */
export function readSpanText(spanId: string, text: string): StoredSpan {
  const [name, kind, parent, start, duration, status, pairs, details] = JSON.parse(text) as Packed
  const startTime = micros(timeIn(spanId) + start)
  return {
    name,
    kind: KINDS[kind] ?? 'internal',
    parentSpanId: parent === 0 ? null : parent,
    startTime,
    endTime: duration === null ? null : micros(startTime + duration),
    status: STATUSES[status] ?? 'error',
    attributes: attributesOf(pairs),
    ...details,
  }
}

function attributesOf(pairs: readonly unknown[]): Record<string, unknown> {
  const entries: [string, unknown][] = []
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]
    entries.push([typeof name === 'number' ? (NAMES[name] ?? String(name)) : String(name), pairs[at + 1]])
  }
  return Object.fromEntries(entries)
}

function timeIn(spanId: string): number {
  return Number.parseInt(spanId.slice(0, TIME_DIGITS), 16)
}

function micros(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
