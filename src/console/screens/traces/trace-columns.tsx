import type { TraceSummary } from '../../../contract/endpoints/trace.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { oneLine } from '../../ui/escape-hidden.ts'
import { Duration, Time } from '../../ui/time/time.tsx'

/** The page of an entity by its type. */
const AREAS: Readonly<Record<string, string | undefined>> = { workflow: 'workflows', agent: 'agents' }

export const TRACE_COLUMNS: readonly Column<TraceSummary>[] = [
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Name',
    width: 'minmax(9rem, 3fr)',
    cell: ({ traceId, name }) => (
      <Link to={`traces/${traceId}`} tabIndex={-1} title={name}>
        {oneLine(name, 200)}
      </Link>
    ),
  },
  { name: 'Kind', width: '4.5rem', cell: ({ entity, kind }) => entity?.type ?? kind },
  {
    name: 'Entity',
    width: 'minmax(5rem, 1fr)',
    cell: ({ entity }) => entity && <Entity type={entity.type} id={entity.id} name={entity.name} />,
  },
  { name: 'Spans', width: '3.5rem', align: 'right', cell: ({ spanCount }) => countText(spanCount) },
  {
    name: 'Tokens',
    width: '4rem',
    align: 'right',
    cell: ({ usage }) =>
      usage && (
        <span title={`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}>
          {countText(usage.totalTokens)}
        </span>
      ),
  },
  {
    name: 'Cost',
    width: '4.5rem',
    align: 'right',
    cell: ({ usage }) => usage && usage.costUsd !== null && formatCost(usage.costUsd),
  },
  {
    name: 'Duration',
    width: '5rem',
    align: 'right',
    cell: ({ status, durationMs, startTime }) =>
      status === 'running' ? <Duration since={startTime} /> : <Duration ms={durationMs} />,
  },
  { name: 'Started', width: '5.5rem', align: 'right', cell: ({ startTime }) => <Time at={startTime} /> },
]

function Entity({ type, id, name }: NonNullable<TraceSummary['entity']>) {
  const area = AREAS[type]
  if (area === undefined) return <span title={id}>{oneLine(name, 200)}</span>
  return (
    <Link to={`${area}/${encodeURIComponent(id)}`} tabIndex={-1} title={`${type} ${id}`}>
      {oneLine(name, 200)}
    </Link>
  )
}
