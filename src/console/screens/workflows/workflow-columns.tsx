import type { WorkflowActivity } from '../../../contract/endpoints/activity.ts'
import type { WorkflowSummary } from '../../../contract/endpoints/workflow.ts'
import { Link } from '../../router/link.tsx'
import { SuccessRate } from './success-rate.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'

/** A workflow with its activity, once it is loaded. */
export interface WorkflowRow extends WorkflowSummary {
  readonly activity: WorkflowActivity | undefined
}

export const WORKFLOW_COLUMNS: readonly Column<WorkflowRow>[] = [
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Workflow',
    width: 'minmax(7rem, 1.2fr)',
    cell: ({ id, name }) => (
      <Link to={`workflows/${encodeURIComponent(id)}`} tabIndex={-1} title={name}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    name: 'Id',
    width: 'minmax(5rem, 1fr)',
    onlyWide: true,
    cell: ({ id }) => (
      <span className="font-mono text-sm text-dim" title={id}>
        {id}
      </span>
    ),
  },
  { name: 'Purpose', width: 'minmax(6rem, 3fr)', cell: ({ purpose }) => <bdi>{purpose}</bdi> },
  { name: 'Steps', width: '3rem', align: 'right', cell: ({ stepsCount }) => stepsCount },
  {
    name: 'Last run',
    width: '11rem',
    cell: ({ activity }) =>
      activity?.last && (
        <span className="flex items-center gap-2">
          <Link to={`executions/${encodeURIComponent(activity.last.executionId)}`} tabIndex={-1}>
            <StatusBadge status={activity.last.status} />
          </Link>
          <span className="text-dim">
            <Time at={activity.last.createdAt} />
          </span>
        </span>
      ),
  },
  {
    name: 'Success',
    width: '4rem',
    align: 'right',
    cell: ({ activity }) => activity && <SuccessRate recent={activity.recent} />,
  },
]
