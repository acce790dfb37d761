import type { ScheduleDetail } from '../../../contract/endpoints/schedule.ts'
import { DeclaredName } from '../../names/declared-name.tsx'
import { Link } from '../../router/link.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { Time } from '../../ui/time/time.tsx'
import { NextRun } from './next-run.tsx'
import { ScheduleActions } from './schedule-actions.tsx'
import { timesText } from './times-text.ts'

export const SCHEDULE_COLUMNS: readonly Column<ScheduleDetail>[] = [
  {
    name: 'Schedule',
    width: 'minmax(6rem, 1fr)',
    cell: ({ id }) => (
      <span className="font-mono text-sm" title={id}>
        {id}
      </span>
    ),
  },
  {
    name: 'Workflow',
    width: 'minmax(5rem, 1fr)',
    cell: ({ workflowId }) => (
      <Link to={`workflows/${encodeURIComponent(workflowId)}`}>
        <DeclaredName kind="workflow" id={workflowId} />
      </Link>
    ),
  },
  {
    name: 'Times',
    width: 'minmax(7rem, 1.5fr)',
    cell: (schedule) => (
      <span title={timesText(schedule)}>
        <span>{timesText(schedule)}</span>
        {schedule.waiting > 0 && <span className="pl-2 text-suspended">{schedule.waiting} waiting</span>}
      </span>
    ),
  },
  { name: 'Next run', width: 'minmax(5rem, 1fr)', cell: (schedule) => <NextRun schedule={schedule} /> },
  {
    name: 'Actions',
    width: '8.5rem',
    quiet: true,
    cell: (schedule) => <ScheduleActions schedule={schedule} />,
  },
  {
    name: 'Last run',
    width: '11rem',
    cell: ({ lastRun }) =>
      lastRun && (
        <span className="flex items-center gap-2">
          {lastRun.error !== undefined ? (
            <span className="text-error" title={lastRun.error}>
              not started
            </span>
          ) : lastRun.status === null ? (
            <span className="text-dim">deleted</span>
          ) : (
            <Link to={`executions/${encodeURIComponent(lastRun.executionId)}`}>
              <StatusBadge status={lastRun.status} />
            </Link>
          )}
          <span className="text-dim">
            <Time at={lastRun.scheduledAt} />
          </span>
        </span>
      ),
  },
]
