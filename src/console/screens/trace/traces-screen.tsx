import { useState } from 'react'
import type { TraceSummary } from '../../../contract/endpoints/trace.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { useFirstCommand } from '../../executions/no-executions.tsx'
import { AgentFilter, WorkflowFilter, StatusFilter } from '../../filters/declared-filter.tsx'
import { FilterBar, FilterText, MoreFilters, FilterRange, useRangeStart } from '../../filters/filter-bar.tsx'
import { ThisMachineOnly } from '../../live/this-machine-only.tsx'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { oneLine } from '../../ui/escape-text.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Duration, Time } from '../../ui/time/time.tsx'
import { useTraces } from './use-traces.ts'
import type { TraceFilters } from './use-traces.ts'

const TRACE_COLUMNS: readonly Column<TraceSummary>[] = [
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Name',
    width: 'minmax(9rem, 3fr)',
    cell: ({ traceId, name, entity }) => (
      <Link to={`traces/${traceId}`} tabIndex={-1} title={name}>
        {oneLine(entity?.name ?? name, 200)}
      </Link>
    ),
  },
  { name: 'Kind', width: '5rem', cell: ({ entity, kind }) => entity?.type ?? kind },
  { name: 'Spans', width: '3.5rem', align: 'right', cell: ({ spanCount }) => countText(spanCount) },
  {
    name: 'Tokens',
    width: '4rem',
    align: 'right',
    cell: ({ usage }) =>
      usage && (
        <span title={`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}>
          {countText(usage.totalTokens)}
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
    width: '5rem',
    align: 'right',
    cell: ({ status, durationMs, startTime }) =>
      status === 'running' ? <Duration since={startTime} /> : <Duration ms={durationMs} />,
  },
  { name: 'Started', width: '5.5rem', align: 'right', cell: ({ startTime }) => <Time at={startTime} /> },
]

const FILTERS: TraceFilters & { readonly last: string } = {
  agentId: '',
  workflowId: '',
  executionId: '',
  conversationId: '',
  userId: '',
  status: '',
  last: '',
  from: '',
  to: '',
  minDurationMs: '',
  q: '',
}

/** All traces, newest first, updated live. */
export function TracesScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { last, ...exact } = filters
  const list = useTraces({ ...exact, from: useRangeStart(last, filters.from) })
  const [visit, setVisit] = useState(0)
  const { traces } = list
  const showNewest = () => {
    list.showWaiting()
    // remounts the list, scrolled to the top
    setVisit(visit + 1)
  }
  return (
    <>
      <PageHeader
        title="Requests"
        aside={
          <>
            {traces !== undefined && (
              <span className="text-dim">
                {countText(traces.length)}
                {!list.isWhole && '+'}
              </span>
            )}
            <ThisMachineOnly />
          </>
        }
        actions={
          <span role="status">
            {list.waiting > 0 && (
              <Button size="small" onClick={showNewest}>
                {list.waiting === 1 ? '1 new request' : `${countText(list.waiting)} new requests`}
              </Button>
            )}
          </span>
        }
      />
      <TraceFilterBar filters={filters} set={setFilters} />
      <ListView
        key={visit}
        label="Requests"
        columns={TRACE_COLUMNS}
        count={traces?.length}
        row={(index) => traces?.[index]}
        rowKey={({ traceId }) => traceId}
        onVisible={list.show}
        open={({ traceId }) => void router.navigate(`traces/${traceId}`)}
        error={list.error}
        retry={list.refetch}
        noun="request"
        filtered={Object.values(filters).some((value) => value !== '')}
        empty={<NoTraces />}
      />
    </>
  )
}

/** The filters of the address: those of the API, and a relative range. */
type ChosenFilters = TraceFilters & { readonly last: string }

const STATUSES = ['running', 'ok', 'error']

const MORE = ['executionId', 'conversationId', 'userId', 'minDurationMs'] as const

interface TraceFilterBarProps {
  readonly filters: ChosenFilters
  readonly set: (changes: Partial<ChosenFilters>) => void
}

function TraceFilterBar({ filters, set }: TraceFilterBarProps) {
  return (
    <FilterBar>
      <FilterText label="Search names" first value={filters.q} onChange={(q) => set({ q })} />
      <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
      <AgentFilter value={filters.agentId} onChange={(agentId) => set({ agentId })} />
      <StatusFilter value={filters.status} options={STATUSES} onChange={(status) => set({ status })} />
      <FilterRange last={filters.last} from={filters.from} to={filters.to} onChange={set} />
      <MoreFilters set={MORE.filter((name) => filters[name] !== '').length}>
        <FilterText
          label="Run"
          value={filters.executionId}
          onChange={(executionId) => set({ executionId })}
        />
        <FilterText
          label="Conversation"
          value={filters.conversationId}
          onChange={(conversationId) => set({ conversationId })}
        />
        <FilterText label="User" value={filters.userId} onChange={(userId) => set({ userId })} />
        <FilterText
          label="Minimum duration (ms)"
          value={filters.minDurationMs}
          onChange={(minDurationMs) => set({ minDurationMs })}
        />
      </MoreFilters>
    </FilterBar>
  )
}

function NoTraces() {
  const { command } = useFirstCommand()
  return (
    <EmptyState title="No requests yet" {...(command !== undefined && { code: command })}>
      Workflows, agents and tools are traced unless the configuration has{' '}
      <code className="font-mono">observability.enabled: false</code>. Run a workflow here, over HTTP or from
      the terminal:
    </EmptyState>
  )
}
