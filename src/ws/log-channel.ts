import type { LogLevel, LogRecord } from '../contract/endpoints/log.ts'
import { LOG_LEVELS } from '../contract/endpoints/log.ts'
import type { LogFeed } from '../observability/logs/log-feed.ts'
import type { ChannelSource } from './channels.ts'
import { Outbox } from './outbox.ts'

interface LogQuery {
  readonly level?: LogLevel | undefined
  readonly q?: string | undefined
  readonly traceId?: string | undefined
  readonly executionId?: string | undefined
}

/** Sends new log records that match the query. */
export function logChannel(feed: LogFeed): ChannelSource<'logs'> {
  return (socket, query) => {
    const outbox = new Outbox(socket)
    const matches = createFilter(query)
    const unsubscribe = feed.subscribe((record) => {
      if (matches(record)) outbox.offer(JSON.stringify({ type: 'log', data: record }))
    })
    socket.on('close', unsubscribe)
  }
}

function createFilter({ level, q = '', traceId, executionId }: LogQuery): (record: LogRecord) => boolean {
  const lowest = level === undefined ? 0 : LOG_LEVELS.indexOf(level)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return (record) =>
    LOG_LEVELS.indexOf(record.level) >= lowest &&
    (traceId === undefined || record.traceId === traceId) &&
    (executionId === undefined || record.executionId === executionId) &&
    hasWords(record, words)
}

function hasWords({ message, attributes }: LogRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = `${message}\n${JSON.stringify(attributes)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
