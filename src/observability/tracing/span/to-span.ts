import type { Span } from '../../../contract/endpoints/trace.ts'
import type { StoredSpan } from '../../../store/trace-store.ts'
import { decodeSpan } from './encode.ts'
import type { SpanRecord } from './encode.ts'
import { toApiSpan } from './to-api.ts'

/** A stored span as the API returns it. */
export function toSpan({ traceId, spanId, data, isOrphaned }: StoredSpan): Span {
  const record = readRecord(data)
  const isLost = isOrphaned && record.endTime === undefined
  return toApiSpan({ traceId, spanId }, isLost ? { ...record, ...LOST } : record)
}

const LOST = { status: 'error', statusMessage: 'The process stopped before the span ended' } as const

/** A span that can't be read must not hide the others of its trace. */
function readRecord(data: string): SpanRecord {
  try {
    return decodeSpan(data)
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE: SpanRecord = {
  name: 'unreadable',
  kind: 'internal',
  startTime: 0,
  endTime: 0,
  status: 'error',
  statusMessage: 'The record of this span is damaged',
  attributes: {},
}
