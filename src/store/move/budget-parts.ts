import { columnsOf, storedText } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

const COLUMNS = [
  ...columnsOf('text', 'declared_on', 'per', 'subject'),
  ...columnsOf('int', 'hour'),
  ...columnsOf('text', 'call'),
  ...columnsOf('bigint', 'cost_nano', 'tokens'),
  ...columnsOf('int', 'until'),
]

/** What model calls have used of budgets. */
export const BUDGET_HOURS: MovedPart = {
  name: 'budget_hours',
  columns: COLUMNS,
  source: { select: '*', from: 'budget_hours', key: 'number', size: '100' },
  convert: (row) => COLUMNS.map(({ name }) => storedText(row[name] ?? null, true)),
}
