import type { Column } from '../../../ui/table/data-table.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Duration } from '../../../ui/time/time.tsx'
import { reasonOf } from './compared-cases.ts'
import type { ComparedCase } from './compared-cases.ts'
import { costOf } from '../run-columns.tsx'
import { Change, scoreText } from '../score.tsx'

const RESULT: readonly Column<ComparedCase>[] = [
  {
    name: 'Case',
    width: 'minmax(11rem, 2fr)',
    cell: ({ now: { id } }) => (
      <span className="font-mono text-sm" title={id}>
        {id}
      </span>
    ),
  },
  {
    name: 'Score',
    width: '4rem',
    align: 'right',
    cell: ({ now: { score } }) => (
      <StatusBadge status={score === 1 ? 'completed' : 'error'} text={scoreText(score)} />
    ),
  },
]

const COMPARISON: readonly Column<ComparedCase>[] = [
  { name: 'Other', width: '3rem', align: 'right', cell: ({ before }) => before && scoreText(before.score) },
  {
    name: 'Change',
    width: '4rem',
    align: 'right',
    cell: ({ change }) => change !== undefined && <Change by={change} />,
  },
  { name: 'Output', width: '4.5rem', cell: (row) => <OutputChange {...row} /> },
]

const DETAILS: readonly Column<ComparedCase>[] = [
  {
    name: 'Reason',
    width: 'minmax(8rem, 2fr)',
    cell: ({ now }) => {
      const reason = reasonOf(now)
      return reason !== undefined && <span title={reason}>{reason}</span>
    },
  },
  { name: 'Time', width: '4rem', align: 'right', cell: ({ now }) => <Duration ms={now.durationMs} /> },
  { name: 'Cost', width: '4.5rem', align: 'right', cell: ({ now }) => costOf(now.costUsd) },
]

/** The columns of the cases of a run, alone or beside another run. */
export const CASE_COLUMNS = [...RESULT, ...DETAILS]
export const COMPARED_COLUMNS = [...RESULT, ...COMPARISON, ...DETAILS]

function OutputChange({ before, differs }: ComparedCase) {
  if (differs) return 'changed'
  return <span className="text-dim">{before === undefined ? 'new case' : 'same'}</span>
}
