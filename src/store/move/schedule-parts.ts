import { SCHEDULE_COLUMNS } from '../sql/schedules.ts'
import { columnsOf, storedText } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

const TEXTS: ReadonlySet<string> = new Set(['id', 'rule', 'waiting', 'last_execution_id'])

/** Which schedules are paused, and which of their instants are due; their jobs are moved with the others. */
export const SCHEDULES: MovedPart = {
  name: 'schedules',
  columns: SCHEDULE_COLUMNS.flatMap((name) =>
    columnsOf(TEXTS.has(name) ? 'text' : name === 'paused' ? 'int' : 'bigint', name),
  ),
  source: { select: '*', from: 'schedules', key: 'rowid', size: '200' },
  convert: (row) =>
    SCHEDULE_COLUMNS.map((name) => (TEXTS.has(name) ? storedText(row[name], true) : (row[name] ?? null))),
}
