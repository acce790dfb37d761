import { useRef } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { queryKeyOf, useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { ExecutionStatusBadge, ExecutionSummary } from '../../executions/execution-status.tsx'
import { NoExecutions } from '../../executions/no-executions.tsx'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { Pending } from '../../ui/state/states.tsx'
import { durationBetween } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'

const MAX_SHOWN = 10
const CALL = { query: { limit: String(MAX_SHOWN) } } as const
const RENDER_MS = 80

export interface RecentRunsProps {
  readonly workflows: DataOf<'listWorkflows'>
}

/** The newest executions, updated live. */
export function RecentRuns({ workflows }: RecentRunsProps) {
  const { data, error, refetch } = useRecentRuns()
  return (
    <TitledSection
      title="Recent runs"
      aside={
        <Link to="executions" className="text-sm text-accent hover:underline">
          All runs
        </Link>
      }
    >
      {data && data.length > 0 ? (
        <Table runs={data} />
      ) : data ? (
        workflows[0] !== undefined && <NoExecutions />
      ) : (
        <Pending error={error} retry={refetch} />
      )}
    </TitledSection>
  )
}

function useRecentRuns() {
  const { queries } = useServices()
  const list = useEndpoint('observeExecutions', CALL)
  const changes = useRef(new Map<string, ExecutionRecord>())
  const flush = useThrottled(() => {
    const changed = changes.current
    changes.current = new Map()
    queries.setQueryData<ExecutionRecord[]>(queryKeyOf('observeExecutions', CALL), (old) => {
      if (!old) return old
      const kept = old.filter(({ id }) => !changed.has(id))
      return [...kept, ...changed.values()].toSorted(newestFirst).slice(0, MAX_SHOWN)
    })
  }, RENDER_MS)
  useTopic('executions', {
    onFrame: ({ data }) => {
      const record = data as ExecutionRecord
      // moves the record to the end of the map: the newest come last
      changes.current.delete(record.id)
      changes.current.set(record.id, record)
      flush()
    },
    onResync: () => void list.refetch(),
  })
  return list
}

function newestFirst(one: ExecutionRecord, other: ExecutionRecord): number {
  return one.createdAt === other.createdAt
    ? other.id.localeCompare(one.id)
    : other.createdAt.localeCompare(one.createdAt)
}

function Table({ runs }: { readonly runs: readonly ExecutionRecord[] }) {
  return (
    <table className="w-full table-fixed">
      <colgroup>
        <col className="w-26" />
        <col className="sm:w-24 xl:w-36" />
        <col className="max-sm:hidden" />
        <col className="w-20" />
        <col className="w-22" />
      </colgroup>
      <thead className="sr-only">
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Workflow</th>
          <th scope="col" className="max-sm:hidden">
            Details
          </th>
          <th scope="col">Duration</th>
          <th scope="col">Started</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id} className="h-7 border-b border-line hover:bg-hover">
            <td>
              <ExecutionStatusBadge record={run} short />
            </td>
            <td className="pr-4">
              <Link
                to={`executions/${encodeURIComponent(run.id)}`}
                title={run.workflowId}
                className="block truncate leading-6 text-accent hover:underline"
              >
                {workflowNameOf(run)}
              </Link>
            </td>
            <td className="truncate pr-4 max-sm:hidden">
              <ExecutionSummary record={run} />
            </td>
            <td className="text-right">
              <Duration ms={durationBetween(run.createdAt, run.endedAt)} since={run.createdAt} />
            </td>
            <td className="text-right text-dim">
              <Time at={run.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
