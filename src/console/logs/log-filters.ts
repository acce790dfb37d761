import type { LogRecord } from '../../contract/endpoints/log.ts'

/** What records are filtered by, under the names of the API; an empty one filters nothing. */
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

/** The filters that are set, as a query. */
export function queryOf(filters: LogFilters): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== ''))
}

/** Whether a record that comes live is one of those that the server would list. */
export function logFilter(filters: LogFilters): (record: LogRecord) => boolean {
  const { level, q, traceId, spanId, agentId, workflowId, executionId, since, until } = filters
  const lowest = LEVELS.indexOf(level)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const [from, to] = [Date.parse(since), Date.parse(until)]
  const isSame = (wanted: string, value: unknown) => wanted === '' || wanted === value
  return (record) => {
    const { attributes } = record
    const at = Date.parse(record.timestamp)
    return (
      LEVELS.indexOf(record.level) >= lowest &&
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
