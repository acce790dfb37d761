import { CALL_COLUMNS } from '../usage/call-columns.ts'
import { columnsOf, storedText } from './moved-part.ts'
import type { MovedColumn, MovedPart } from './moved-part.ts'

const CALLS = columnsOf('bigint', ...CALL_COLUMNS.map(([name]) => name))

/** How long steps took, and what models cost. */
export const STATISTICS_PARTS: readonly MovedPart[] = [
  partOf('step_days', [
    ...columnsOf('int', 'day', 'bucket'),
    ...columnsOf('text', 'workflow_id', 'step'),
    ...columnsOf('bigint', 'completed', 'errors'),
  ]),
  partOf('model_hours', [
    ...columnsOf('int', 'hour'),
    ...columnsOf('text', 'workflow_id', 'step', 'agent_id', 'model'),
    ...CALLS,
  ]),
  {
    name: 'step_models',
    ...copied('step_models', [
      ...columnsOf('bigint', 'execution'),
      ...columnsOf('text', 'step', 'agent_id', 'model'),
      ...CALLS,
    ]),
  },
]

/** Counts of the past, which belong to no machine. */
function partOf(name: string, own: readonly MovedColumn[]): MovedPart {
  const { columns, source, convert } = copied(name, own)
  return {
    name,
    columns: [...columns, ...columnsOf('bigint', 'owner_epoch')],
    source,
    convert: (row) => [...convert(row), 0],
  }
}

function copied(table: string, columns: readonly MovedColumn[]): Omit<MovedPart, 'name'> {
  return {
    columns,
    source: { select: '*', from: table, key: 'number', size: '100' },
    convert: (row) => columns.map(({ name }) => storedText(row[name] ?? null, true)),
  }
}
