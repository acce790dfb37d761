import type { LogRecord } from '../../contract/endpoints/log.ts'

/** Filters under the parameter names of the API; empty ones do not filter. */
export type LogFilters = Readonly<
  Record<
    'level' | 'q' | 'traceId' | 'spanId' | 'agentId' | 'workflowId' | 'executionId' | 'since' | 'until',
    string
  >
>

export const NO_LOG_FILTERS: LogFilters = {
  level: '',
  q: '',
  traceId: '',
  spanId: '',
  agentId: '',
  workflowId: '',
  executionId: '',
  since: '',
  until: '',
}

export const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** The set filters, as a query. */
export function queryOf(filters: LogFilters): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== ''))
}

/** Predicate for live records, with the same result as the filters of the server. */
export function logFilter(filters: LogFilters): (record: LogRecord) => boolean {
  const { level, q, traceId, spanId, agentId, workflowId, executionId, since, until } = filters
  const minimum = LEVELS.indexOf(level)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const [from, to] = [Date.parse(since), Date.parse(until)]
  const isSame = (filter: string, value: unknown) => filter === '' || filter === value
  return (record) => {
    const { attributes } = record
    const at = Date.parse(record.timestamp)
    return (
      LEVELS.indexOf(record.level) >= minimum &&
      isSame(traceId, record.traceId) &&
      isSame(spanId, record.spanId) &&
      isSame(executionId, record.executionId) &&
      isSame(agentId, attributes['agentId']) &&
      isSame(workflowId, attributes['workflowId']) &&
      !(at < from) &&
      !(at >= to) &&
      hasWords(record, words)
    )
  }
}

function hasWords({ message, attributes }: LogRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = `${message}\n${JSON.stringify(attributes)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
