import type { ScheduleDetail } from '../../contract/endpoints/schedule.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useEndpoint, queryKeyOf, useAction, usePolling } from '../api/use-endpoint.ts'
import { useChanges } from '../live/use-topic.ts'
import { DeclaredName } from '../ui/declared-name.tsx'
import { Link } from '../router/link.tsx'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { EmptyState } from '../ui/state/states.tsx'
import { StatusBadge, StatusIcon, statusText } from '../ui/state/status-badge.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListView } from '../ui/table/list-view.tsx'
import { exactTime } from '../ui/time/format-time.ts'
import { Time } from '../ui/time/time.tsx'
import { NextRun } from './next-run.tsx'

const SCHEDULE_COLUMNS: readonly Column<ScheduleDetail>[] = [
  {
    name: 'Schedule',
    width: 'minmax(6rem, 1fr)',
    cell: ({ id }) => (
      <Link
        to={`executions?scheduleId=${encodeURIComponent(id)}`}
        title={`Runs of ${id}`}
        className="block truncate font-mono text-sm hover:underline"
      >
        {id}
      </Link>
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
    width: 'minmax(7rem, 2fr)',
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
    name: 'Runs',
    width: 'minmax(14rem, 3fr)',
    cell: (schedule) => hasRuns(schedule) && <Runs schedule={schedule} />,
  },
]

const UPDATE_MS = 1000
/** The next instants change by themselves. */
const POLL_MS = 10_000

const EXAMPLE = [
  "import { createSchedule, defineConfig } from 'agentserver'",
  '',
  'const report = createSchedule({',
  "  id: 'report',",
  "  cron: '0 9 * * 1-5',          // or every: '15m'",
  "  timezone: 'Europe/Berlin',",
  '  workflow: sendReport,',
  '  input: ({ scheduledAt }) => ({ day: scheduledAt.toISOString().slice(0, 10) }),',
  '})',
  '',
  'export default defineConfig({ workflows: [sendReport], schedules: [report] })',
].join('\n')

/** The schedules of the configuration, with their next and last executions. */
export function SchedulesScreen() {
  const { data: schedules, error, refetch } = useEndpoint('listSchedules', {})
  usePolling(refetch, POLL_MS)
  useChanges('config', refetch)
  useChanges('executions', refetch, UPDATE_MS)
  return (
    <>
      <PageHeader title="Schedules" count={schedules?.length} />
      <ListView
        label="Schedules"
        columns={SCHEDULE_COLUMNS}
        count={schedules?.length}
        row={(index) => schedules?.[index]}
        rowKey={({ id }) => id}
        error={error}
        retry={refetch}
        noun="schedule"
        filtered={false}
        empty={
          <EmptyState title="No schedules yet" code={EXAMPLE}>
            A schedule starts a workflow at times. Add one to agentserver.config.ts; this page updates when
            the file is saved.
          </EmptyState>
        }
      />
    </>
  )
}

function hasRuns({ lastRun, recentRuns }: ScheduleDetail): boolean {
  return lastRun !== null || recentRuns.length > 0
}

/** The newest runs of a schedule, oldest first: each a mark with its status that opens it, and the last one in words. */
function Runs({ schedule: { id, lastRun, recentRuns } }: { readonly schedule: ScheduleDetail }) {
  const earlier = recentRuns.filter(({ executionId }) => executionId !== lastRun?.executionId).toReversed()
  return (
    <span className="inline-flex items-center gap-2 align-bottom">
      {earlier.length > 0 && (
        <ul aria-label={`Earlier runs of ${id}`} className="inline-flex h-5 items-center">
          {earlier.map(({ executionId, status, createdAt }) => {
            const text = `${statusText(status)}, ${exactTime(createdAt)}`
            return (
              <li key={executionId}>
                <Link
                  to={`executions/${encodeURIComponent(executionId)}`}
                  title={text}
                  label={text}
                  className="flex size-6 items-center justify-center"
                >
                  <StatusIcon status={status} />
                </Link>
              </li>
            )
          })}
        </ul>
      )}
      {lastRun && <LastRun {...lastRun} />}
    </span>
  )
}

function LastRun({ executionId, scheduledAt, status, error }: NonNullable<ScheduleDetail['lastRun']>) {
  return (
    <>
      {error !== undefined ? (
        <span className="text-error" title={error}>
          not started
        </span>
      ) : status === null ? (
        <span className="text-dim">deleted</span>
      ) : (
        <Link to={`executions/${encodeURIComponent(executionId)}`}>
          <StatusBadge status={status} />
        </Link>
      )}
      <span className="text-dim">
        <Time at={scheduledAt} />
      </span>
    </>
  )
}

/** Buttons that run a schedule now, and pause or resume it. */
function ScheduleActions({ schedule: { id, paused } }: { readonly schedule: ScheduleDetail }) {
  const { queries, toasts } = useServices()
  const trigger = useAction('triggerSchedule')
  const pause = useAction('pauseSchedule')
  const resume = useAction('resumeSchedule')
  const call = { params: { id } }
  const onError = (failure: Error) => toasts.error(errorMessage(failure))
  const onSettled = () => void queries.invalidateQueries({ queryKey: queryKeyOf('listSchedules') })
  const run = () =>
    trigger.mutate(call, {
      onSuccess: ({ executionId }) =>
        toasts.info('Run started', {
          to: `executions/${encodeURIComponent(executionId)}`,
          text: 'Open',
        }),
      onError,
      onSettled,
    })
  const change = paused ? resume : pause
  return (
    <span className="flex items-center gap-1">
      <Button size="small" onClick={run} disabled={trigger.isPending} title={`Run ${id} now`}>
        Run
      </Button>
      <Button
        size="small"
        onClick={() => change.mutate(call, { onError, onSettled })}
        disabled={change.isPending}
        title={`${paused ? 'Resume' : 'Pause'} ${id}`}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </span>
  )
}

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']

/** The days of a cron expression in words; undefined for those that are not simple. */
function daysText(weekday: string): string | undefined {
  if (weekday === '*') return 'every day'
  if (weekday === '1-5' || weekday === 'MON-FRI') return 'Monday to Friday'
  // 0 and 7 are Sunday
  return DAYS[/^[0-7]$/.test(weekday) ? Number(weekday) % 7 : WEEKDAYS.indexOf(weekday)]
}

/** The times of a schedule: in words where they are simple, such as `09:00, Monday to Friday`, else the expression. */
function timesText({ cron, every, timezone }: ScheduleDetail): string {
  if (cron === undefined) return typeof every === 'number' ? `every ${every} ms` : `every ${every}`
  const [minute = '', hour = '', day, month, weekday = '', ...more] = cron.trim().split(/\s+/)
  const days = daysText(weekday.toUpperCase())
  const isTime = /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour)
  const isSimple = isTime && day === '*' && month === '*' && days !== undefined && more.length === 0
  const text = isSimple ? `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}, ${days}` : cron
  return `${text} (${timezone})`
}
