import { pino } from 'pino'
import { escapeJson } from '../../lib/escape-controls.ts'
import type { LogEntry } from '../../observability/logs/log-entry.ts'

const STDERR = 2

/** Prints log records to stderr as JSON, a line each, with pino's names. */
export function jsonLogLines(): (entry: LogEntry) => void {
  const stderr = pino.destination({ dest: STDERR, sync: true })
  return (entry) => void stderr.write(`${jsonLogLine(entry)}\n`)
}

/** Members that are pino's. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Nothing in it drives a terminal that shows it. */
export function jsonLogLine({ level, timestamp, message, attributes, ...entry }: LogEntry): string {
  const { traceId, spanId, executionId } = entry
  const ties = {
    traceId: traceId ?? undefined,
    spanId: spanId ?? undefined,
    executionId: executionId ?? undefined,
  }
  const own = Object.entries(attributes).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value])
  const line = JSON.stringify({
    level,
    time: timestamp,
    ...ties,
    ...(Object.fromEntries(own) as object),
    msg: message,
  })
  return escapeJson(line)
}
