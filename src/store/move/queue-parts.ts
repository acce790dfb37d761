import { escapeNul } from '../postgres/escape-nul.ts'
import type { SqlValue } from '../sqlite/driver.ts'
import { columnsOf } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

function text(value: SqlValue | undefined): string {
  return escapeNul(String(value))
}

/** The executions that have a place, and those that wait for one. */
const QUEUE: MovedPart = {
  name: 'queue',
  columns: [
    ...columnsOf('text', 'execution_id', 'workflow_id'),
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'concurrency_key', 'rate_key'),
    ...columnsOf('float8', 'rank'),
    ...columnsOf('bigint', 'since'),
    ...columnsOf('text', 'state'),
  ],
  source: { select: '*', from: 'queue', key: 'number', size: '200' },
  convert: (row) => [
    text(row['execution_id']),
    text(row['workflow_id']),
    row['number'] ?? 0,
    text(row['concurrency_key']),
    text(row['rate_key']),
    row['rank'] ?? 0,
    row['since'] ?? 0,
    text(row['state']),
  ],
}

/** The starts that count for a rate. */
const QUEUE_STARTS: MovedPart = {
  name: 'queue_starts',
  columns: [
    ...columnsOf('text', 'execution_id', 'workflow_id', 'rate_key'),
    ...columnsOf('bigint', 'started_at'),
  ],
  source: { select: '*', from: 'queue_starts', key: 'rowid', size: '200' },
  convert: (row) => [
    text(row['execution_id']),
    text(row['workflow_id']),
    text(row['rate_key']),
    row['started_at'] ?? 0,
  ],
}

export const QUEUE_PARTS = [QUEUE, QUEUE_STARTS]
