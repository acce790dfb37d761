import type { LogLevel, LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_LEVELS } from '../../contract/endpoints/log.ts'
import { toIso } from '../../lib/clock.ts'
import type { LogRow } from '../../store/log-store.ts'

/** A log record without secrets, before it is stored. */
export interface LogEntry extends Omit<LogRow, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A log record as the API returns it. */
export function toApiRecord(entry: LogEntry): LogRecord {
  const { id, timestamp, level, message, attributes, traceId, spanId, executionId } = entry
  return {
    id: String(id),
    timestamp: toIso(timestamp),
    level: levelName(level),
    message,
    attributes,
    traceId,
    spanId,
    executionId,
  }
}

export function rowOfEntry(entry: LogEntry): LogRow {
  return { ...entry, attributes: JSON.stringify(entry.attributes) }
}

export function entryOfRow(row: LogRow): LogEntry {
  return { ...row, attributes: JSON.parse(row.attributes) as LogEntry['attributes'] }
}

/** pino's level numbers are the positions of the names, times ten. */
export function levelName(level: number): LogLevel {
  return LOG_LEVELS[Math.min(Math.max(Math.floor(level / 10) - 1, 0), LOG_LEVELS.length - 1)] ?? 'info'
}

export function levelNumber(name: LogLevel): number {
  return (LOG_LEVELS.indexOf(name) + 1) * 10
}
