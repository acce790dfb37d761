import { useEndpoint } from '../../api/use-endpoint.ts'
import { useActivity } from '../../live/use-activity.ts'
import { LazyChunk } from '../../router/lazy-chunk.ts'
import { useLazyCode } from '../../router/use-lazy-code.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { ConfigChanges } from './config-changes.tsx'
import { DayCharts } from './day-charts.tsx'
import { FirstRun } from './first-run.tsx'
import { Generation } from './generation.tsx'
import { NeedsYou } from './needs-you.tsx'
import { NextRuns } from './next-runs.tsx'
import { Numbers } from './numbers.tsx'
import { RecentRuns } from './recent-runs.tsx'

/** Loaded after the first paint. */
const MAP = new LazyChunk(() => import('./map/live-map.tsx'))

/** The overview: running, failed and suspended executions, recent activity and configuration. */
export function OverviewScreen() {
  const workflows = useEndpoint('listWorkflows', {})
  const agents = useEndpoint('listAgents', {})
  const { activity, error, refetch, needed } = useActivity()
  const { code: map } = useLazyCode(MAP)
  const failure = error ?? workflows.error ?? agents.error
  const retry = () => {
    refetch()
    void workflows.refetch()
    void agents.refetch()
  }
  return (
    <>
      <PageHeader title="Overview" actions={<Generation />} />
      {activity && workflows.data && agents.data ? (
        <>
          <Numbers activity={activity} workflows={workflows.data.length} agents={agents.data.length} />
          {workflows.data.length + agents.data.length === 0 && <FirstRun />}
          <div className="grid items-start gap-x-8 gap-y-6 p-4 lg:grid-cols-[minmax(0,5fr)_minmax(16rem,2fr)]">
            <div className="flex min-w-0 flex-col gap-6">
              <NeedsYou needed={needed} activity={activity} />
              {map && <map.LiveMap />}
              <RecentRuns workflows={workflows.data} />
            </div>
            <div className="flex min-w-0 flex-col gap-6">
              <NextRuns />
              <DayCharts hours={activity.hours} />
              <ConfigChanges />
            </div>
          </div>
        </>
      ) : (
        <Pending error={failure} retry={retry} />
      )}
    </>
  )
}
