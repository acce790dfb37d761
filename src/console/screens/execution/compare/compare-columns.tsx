import type { StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { Column } from '../../../ui/table/data-table.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Duration } from '../../../ui/time/time.tsx'
import type { StepPair } from './pair-steps.ts'

/** The columns of a comparison; `first` is the path of the first step with differences. */
export function compareColumns(first: string | undefined): readonly Column<StepPair>[] {
  return [
    { name: 'Step', width: 'minmax(6rem, 1fr)', cell: (pair) => <StepName {...pair} /> },
    { name: 'This', width: '7rem', cell: ({ one }) => one && <StatusBadge status={one.status} /> },
    { name: 'Duration', width: '5rem', align: 'right', cell: ({ one }) => duration(one) },
    { name: 'Other', width: '7rem', cell: ({ other }) => other && <StatusBadge status={other.status} /> },
    { name: 'Other duration', width: '7rem', align: 'right', cell: ({ other }) => duration(other) },
    {
      name: 'Differences',
      width: 'minmax(12rem, 2fr)',
      cell: ({ path, differs }) => (
        <>
          {path === first && (
            <strong className="mr-2 rounded-sm bg-warning-panel px-1 text-sm text-suspended">
              first difference
            </strong>
          )}
          {differs.join(', ')}
        </>
      ),
    },
  ]
}

function StepName({ path, one, other }: StepPair) {
  const name = one?.name ?? other?.name ?? path
  return <span title={path}>{name === path.split('/').at(-1) ? path : `${name} · ${path}`}</span>
}

function duration(step: StepRecord | undefined) {
  return step && <Duration ms={step.durationMs} />
}
