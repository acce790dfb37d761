import { useEndpoint, usePolling } from '../../api/use-endpoint.ts'
import { useSettings } from '../../live/config-status.ts'
import { useUsage } from '../../usage/use-usage.ts'
import { useChanges } from '../../live/use-topic.ts'
import type { Settings } from '../../live/config-status.ts'
import { LazyChunk, useLazyCode } from '../../router/lazy-chunk.ts'
import { Link } from '../../router/link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { NextRun } from '../next-run.tsx'
import { DayCharts } from './day-charts.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Numbers } from './numbers.tsx'
import { RecentRuns } from './recent-runs.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'

/** Loaded after the first paint. */
const MAP = new LazyChunk(() => import('./live-map.tsx'))

/** Home: what needs the user, what runs through the code, recent usage and configuration. */
export function HomeScreen() {
  const workflows = useEndpoint('listWorkflows', {})
  const agents = useEndpoint('listAgents', {})
  const { usage, error, refetch, needed } = useUsage()
  const { code: map } = useLazyCode(MAP)
  const failure = error ?? workflows.error ?? agents.error
  const retry = () => {
    refetch()
    void workflows.refetch()
    void agents.refetch()
  }
  const isEmpty = workflows.data?.length === 0 && agents.data?.length === 0
  return (
    <>
      <PageHeader title="Home" />
      {usage && (failure === null || failure === undefined) ? (
        <>
          <Numbers usage={usage} />
          {isEmpty && <FirstRun />}
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 gap-y-6 p-4 lg:grid-cols-[minmax(0,1fr)_17rem]">
            <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
              <div className="min-w-0 max-lg:order-1">{map && <map.LiveMap />}</div>
              <div className="min-w-0 max-lg:order-2">
                <RecentRuns workflows={workflows.data ?? []} />
              </div>
            </div>
            <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
              <NeedsYou needed={needed} usage={usage} />
              <div className="flex flex-col gap-6 max-lg:order-3">
                <NextRuns />
                <DayCharts hours={usage.hours} />
                <ConfigChanges />
              </div>
            </div>
          </div>
        </>
      ) : (
        <Pending error={failure} retry={retry} />
      )}
    </>
  )
}

const CODE = `import { createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const hello = createWorkflow({
  id: 'hello',
  name: 'Hello',
  purpose: 'Greet somebody',
  inputSchema: z.object({ name: z.string() }),
}).andThen({
  id: 'greet',
  execute: ({ data }) => ({ text: \`Hello, \${data.name}\` }),
})\n\nexport default defineConfig({ workflows: [hello] })
`

/** The empty state without workflows and agents. */
function FirstRun() {
  return (
    <EmptyState title="No workflows or agents yet" code={CODE}>
      Save this as agentserver.config.ts; this page updates when the file is saved.
    </EmptyState>
  )
}

const MAX_NEXT_RUNS = 5

const POLL_MS = 10_000

/** The schedules that run next. Nothing without schedules. */
function NextRuns() {
  const { data, refetch } = useEndpoint('listSchedules', {})
  usePolling(refetch, POLL_MS)
  useChanges('config', refetch)
  if (!data || data.length === 0) return null
  const coming = data
    .filter(({ next }) => next.length > 0)
    .toSorted((one, other) => (one.next[0] ?? '').localeCompare(other.next[0] ?? ''))
  return (
    <TitledSection
      title="Next runs"
      aside={
        <Link to="schedules" className="text-sm text-accent hover:underline">
          Schedules
        </Link>
      }
    >
      {coming.length === 0 && <p className="pt-2 text-sm text-dim">All schedules are paused.</p>}
      <ol className="pt-1">
        {coming.slice(0, MAX_NEXT_RUNS).map((schedule) => (
          <li key={schedule.id} className="flex items-baseline justify-between gap-2 py-0.5">
            <span className="min-w-0 truncate" title={schedule.id}>
              {schedule.id}
            </span>
            <span className="whitespace-nowrap text-sm text-dim">
              <NextRun schedule={schedule} />
            </span>
          </li>
        ))}
      </ol>
    </TitledSection>
  )
}

type Change = Settings['changes'][number]

const MAX_CHANGES = 6

/** The latest loads of the configuration, and failed ones. */
function ConfigChanges() {
  const { data } = useSettings()
  if (!data) return null
  return (
    <TitledSection
      title="Configuration"
      aside={
        <Link to="settings" className="text-sm text-accent hover:underline">
          Settings
        </Link>
      }
    >
      <ol className="pt-1">
        {data.changes.slice(0, MAX_CHANGES).map((change) => (
          <li key={`${change.at} ${change.type}`} className="flex items-baseline gap-2 py-0.5">
            <Mark change={change} />
            <span className="min-w-0 flex-1 break-words">{changeText(change)}</span>
            <span className="whitespace-nowrap text-sm text-dim">
              <Time at={change.at} />
            </span>
          </li>
        ))}
      </ol>
    </TitledSection>
  )
}

function Mark({ change }: { readonly change: Change }) {
  const failed = change.type === 'config:error'
  return (
    <Icon name={failed ? 'error' : 'ok'} className={`translate-y-0.5 ${failed ? 'text-error' : 'text-ok'}`} />
  )
}

function changeText(change: Change): string {
  if (change.type === 'config:error') {
    const { name, message, file, line } = change.data
    const location = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
    return `${name}: ${message}${location}`
  }
  const { generation, durationMs, files, added, changed, removed } = change.data
  const details = [
    files.join(', '),
    added.length > 0 && generation > 1 ? `added ${namesOf(added)}` : '',
    changed.length > 0 ? `changed ${namesOf(changed)}` : '',
    removed.length > 0 ? `removed ${namesOf(removed)}` : '',
  ].filter((part) => part !== '')
  return `Generation ${generation} in ${durationText(durationMs)}${details.length > 0 ? `: ${details.join('; ')}` : ''}`
}

function namesOf(keys: readonly string[]): string {
  return keys.map((key) => key.replace(':', ' ')).join(', ')
}
