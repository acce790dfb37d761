import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useChanges } from '../../live/use-changes.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SCHEDULE_COLUMNS } from './schedule-columns.tsx'

const ACTIVITY_MS = 1000
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
  const refreshSoon = useThrottled(() => void refetch(), ACTIVITY_MS)
  usePolling(refetch, POLL_MS)
  useChanges('config', () => void refetch())
  useTopic('executions', { onFrame: refreshSoon, onResync: refreshSoon })
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
