import type { MachineSummary } from '../../contract/endpoints/observability.ts'
import { useEndpoint, usePolling } from '../api/use-endpoint.ts'
import { useServerStatus } from '../live/config-status.ts'
import { Icon } from '../ui/icon.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { EmptyState } from '../ui/state/states.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListView } from '../ui/table/list-view.tsx'
import { countText } from '../ui/time/format-time.ts'
import { Time } from '../ui/time/time.tsx'

/** Machines report once a second. */
const POLL_MS = 1000

/** The machines that serve the configuration with the same database. */
export function MachinesScreen() {
  const { data: machines, error, refetch } = useEndpoint('listMachines', {})
  usePolling(refetch, POLL_MS)
  const count = machines?.length
  const releases = new Set(machines?.map(({ release }) => release))
  return (
    <>
      <PageHeader title="Machines" count={count} />
      {releases.size > 1 && (
        <p role="status" className="border-b border-line bg-warning-panel px-4 py-1.5">
          The machines run {releases.size} releases: a deploy is in progress, or incomplete.
        </p>
      )}
      <ListView
        label="Machines"
        fit
        columns={columnsFor(machines ?? [])}
        count={count}
        row={(index) => machines?.[index]}
        rowKey={({ id }) => id}
        error={error}
        retry={refetch}
        noun="machine"
        filtered={false}
        empty={
          <EmptyState title="No machine has reported yet" code="npx agentserver start">
            Machines that serve this configuration report once a second. Start one:
          </EmptyState>
        }
      />
      {machines?.length === 1 && <OneMachine />}
    </>
  )
}

function columnsFor(machines: readonly MachineSummary[]): Column<MachineSummary>[] {
  const main = mainRelease(machines)
  return [
    {
      name: 'Machine',
      width: 'minmax(12rem, 1.5fr)',
      cell: ({ id, self }) => (
        <>
          <span className="font-mono text-sm" title={id}>
            {id}
          </span>
          {self && machines.length > 1 && <span className="pl-2 text-dim">serves this console</span>}
        </>
      ),
    },
    {
      name: 'Release',
      width: 'minmax(13rem, 1fr)',
      cell: ({ release }) => (
        <span title={release}>
          <span className="font-mono text-sm">{release}</span>
          {release !== main && (
            <span className="pl-2 text-suspended">
              <Icon name="retry" className="mr-1 inline" />
              differs
            </span>
          )}
        </span>
      ),
    },
    { name: 'Load', width: '7rem', cell: ({ load }) => <Load value={load} /> },
    { name: 'Runs', width: '5.5rem', align: 'right', cell: ({ executions }) => countText(executions) },
    { name: 'Last report', width: '6rem', cell: ({ lastBeatAt }) => <Time at={lastBeatAt} /> },
  ]
}

function Load({ value }: { readonly value: number }) {
  const percent = Math.round(value * 100)
  return (
    <span className="flex items-center gap-2" title="Share of time in which the event loop is busy">
      <span aria-hidden="true" className="h-1.5 w-12 rounded-sm bg-line">
        <span className="block h-full rounded-sm bg-accent" style={{ width: `${percent}%` }} />
      </span>
      {percent} %
    </span>
  )
}

const SQLITE_EXAMPLE = `npm install pg
export DATABASE_URL=postgres://user:password@host:5432/database
npx agentserver migrate
npx agentserver start        # on each machine`

const POSTGRES_EXAMPLE = `npx agentserver start        # with the same DATABASE_URL`

/** How to add machines. */
function OneMachine() {
  const { data } = useServerStatus()
  if (!data) return null
  return data.storage === 'postgres' ? (
    <EmptyState title="One machine" code={POSTGRES_EXAMPLE}>
      Start the project on another computer to share the load. If a machine dies, the others continue its
      runs.
    </EmptyState>
  ) : (
    <EmptyState title="One machine, with a database of its own" code={SQLITE_EXAMPLE}>
      With a Postgres database the same project runs on several machines: any of them responds for all runs,
      and if one dies, the others continue what it ran.
    </EmptyState>
  )
}

/** The release that most machines have; of several, that of the machine that serves this console. */
function mainRelease(machines: readonly MachineSummary[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { release } of machines) counts.set(release, (counts.get(release) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const common = machines.filter(({ release }) => counts.get(release) === most)
  return (common.find(({ self }) => self) ?? common[0])?.release
}
