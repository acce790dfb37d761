import type { LogLevel, LogRecord } from '../../contract/endpoints/log.ts'
import { LOG_LEVELS } from '../../contract/endpoints/log.ts'
import { toIso } from '../../lib/clock.ts'
import type { LogRow } from '../../store/log-store.ts'

/** Something that was logged, free of secrets. */
export interface LogEntry extends Omit<LogRow, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** As readers get it. */
export function shownEntry(entry: LogEntry): LogRecord {
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

export function storedEntry(entry: LogEntry): LogRow {
  return { ...entry, attributes: JSON.stringify(entry.attributes) }
}

export function entryOfRow(row: LogRow): LogEntry {
  return { ...row, attributes: JSON.parse(row.attributes) as LogEntry['attributes'] }
}

/** pino's numbers are the places of the names, by ten. */
export function levelName(level: number): LogLevel {
  return LOG_LEVELS[Math.min(Math.max(Math.floor(level / 10) - 1, 0), LOG_LEVELS.length - 1)] ?? 'info'
}

export function levelNumber(name: LogLevel): number {
  return (LOG_LEVELS.indexOf(name) + 1) * 10
}
