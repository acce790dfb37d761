import { pino } from 'pino'
import { escapeJson } from '../../lib/escape-controls.ts'
import type { LogEntry } from '../../observability/logs/log-entry.ts'

const STDERR = 2

/** Prints log records to stderr as JSON lines with pino's field names. */
export function jsonLogLines(): (entry: LogEntry) => void {
  const stderr = pino.destination({ dest: STDERR, sync: true })
  return (entry) => void stderr.write(`${jsonLogLine(entry)}\n`)
}

/** Field names of pino. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Formats a record as one line of JSON, with control characters escaped. */
export function jsonLogLine({ level, timestamp, message, attributes, ...entry }: LogEntry): string {
  const { traceId, spanId, executionId } = entry
  const ids = {
    traceId: traceId ?? undefined,
    spanId: spanId ?? undefined,
    executionId: executionId ?? undefined,
  }
  const own = Object.entries(attributes).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value])
  const line = JSON.stringify({
    level,
    time: timestamp,
    ...ids,
    ...(Object.fromEntries(own) as object),
    msg: message,
  })
  return escapeJson(line)
}
