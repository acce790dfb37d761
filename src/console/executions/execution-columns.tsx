import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { formatCost } from '../../contract/usage/cost.ts'
import { Link } from '../router/link.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ExecutionStatusBadge, ExecutionSummary } from './execution-status.tsx'
import { durationBetween } from '../ui/time/format-time.ts'
import { Duration, Time } from '../ui/time/time.tsx'
import { workflowNameOf } from './workflow-name.ts'

export const EXECUTION_COLUMNS: readonly Column<ExecutionRecord>[] = [
  { name: 'Status', width: '6.5rem', cell: (record) => <ExecutionStatusBadge record={record} short /> },
  {
    name: 'Workflow',
    width: 'minmax(7rem, 1fr)',
    cell: (record) => (
      <Link to={`executions/${encodeURIComponent(record.id)}`} tabIndex={-1} title={record.workflowId}>
        {workflowNameOf(record)}
      </Link>
    ),
  },
  { name: 'Details', width: 'minmax(10rem, 4fr)', cell: (record) => <ExecutionSummary record={record} /> },
  { name: 'Started', width: '6.5rem', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Run',
    width: '8rem',
    onlyRoomy: true,
    cell: ({ id }) => (
      <span className="font-mono text-sm text-dim" title={id}>
        {id.length > 16 ? `…${id.slice(-14)}` : id}
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
    width: '5.5rem',
    align: 'right',
    cell: ({ createdAt, endedAt }) => <Duration ms={durationBetween(createdAt, endedAt)} since={createdAt} />,
  },
]
