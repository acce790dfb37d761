import type { QueuedExecution, WorkflowQueue } from '../../../contract/endpoints/waiting.ts'
import { DeclaredName } from '../../ui/declared-name.tsx'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { countText, durationText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'

const EXAMPLE = `createWorkflow({
  id: 'sync',
  concurrency: { limit: 2, key: ({ input }) => input.customer },
  rateLimit: { limit: 100, per: '1m' },
})`

const COLUMNS: readonly Column<QueuedExecution>[] = [
  { name: 'Position', width: '4rem', align: 'right', cell: ({ position }) => countText(position) },
  {
    name: 'Run',
    width: 'minmax(10rem, 2fr)',
    cell: ({ executionId }) => (
      <Link to={`executions/${encodeURIComponent(executionId)}`} tabIndex={-1} className="font-mono text-sm">
        {executionId}
      </Link>
    ),
  },
  {
    name: 'Limit',
    width: 'minmax(6rem, 1fr)',
    cell: ({ reason }) => (reason === 'rate' ? 'rate limit' : 'concurrency'),
  },
  {
    name: 'Key',
    width: 'minmax(6rem, 1fr)',
    cell: ({ key }) => (key === null ? <span className="text-dim">none</span> : key),
  },
  { name: 'Since', width: '6rem', align: 'right', cell: ({ since }) => <Time at={since} /> },
]

export interface QueuedTabProps {
  readonly queues: readonly WorkflowQueue[] | undefined
  readonly error: unknown
  readonly retry: () => unknown
}

/** The workflows with limits: how many executions run, and which wait for a slot. */
export function QueuedTab({ queues, error, retry }: QueuedTabProps) {
  if (!queues) return <Pending error={error} retry={retry} />
  if (queues.length === 0)
    return (
      <EmptyState title="No workflow has limits" code={EXAMPLE}>
        Limit how many runs of a workflow run at the same time, or start in a while. The others wait here, in
        order:
      </EmptyState>
    )
  return (
    <div className="flex flex-col gap-6 p-4">
      {queues.map((queue) => (
        <Queue key={queue.workflowId} queue={queue} />
      ))}
    </div>
  )
}

function Queue({ queue }: { readonly queue: WorkflowQueue }) {
  const { workflowId, concurrency, rateLimit, running, waiting, queued } = queue
  return (
    <section aria-label={workflowId} className="overflow-hidden rounded-md border border-line">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 bg-panel px-4 py-2">
        <h2 className="font-semibold">
          <Link to={`workflows/${encodeURIComponent(workflowId)}`}>
            <DeclaredName kind="workflow" id={workflowId} />
          </Link>
        </h2>
        <span>
          {countText(running)} running
          {concurrency !== null && (
            <span className="text-dim">, at most {countText(concurrency)} at the same time</span>
          )}
        </span>
        {rateLimit && (
          <span className="text-dim">
            {countText(rateLimit.limit)} starts per {durationText(rateLimit.perMs)}
          </span>
        )}
        <span className={waiting > 0 ? 'text-suspended' : 'text-dim'}>{countText(waiting)} waiting</span>
      </div>
      {queued.length > 0 && (
        <DataTable
          label={`Queue of ${workflowId}`}
          columns={COLUMNS}
          count={queued.length}
          row={(index) => queued[index]}
          rowKey={({ executionId }) => executionId}
          fit
        />
      )}
      {waiting > queued.length && (
        <p className="px-4 py-1.5 text-sm text-dim">{countText(waiting - queued.length)} more</p>
      )}
    </section>
  )
}
