import { AgentFilter, WorkflowFilter } from '../../filters/declared-filter.tsx'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/status-filter.tsx'
import { FilterRange } from '../../filters/filter-range.tsx'
import { MoreFilters } from '../../filters/more-filters.tsx'
import type { TraceFilters } from './use-traces.ts'

/** The filters of the address: those of the API, and a relative range. */
type ChosenFilters = TraceFilters & { readonly last: string }

const STATUSES = ['running', 'ok', 'error']
const MORE = ['executionId', 'conversationId', 'userId', 'minDurationMs'] as const

export interface TraceFilterBarProps {
  readonly filters: ChosenFilters
  readonly set: (changes: Partial<ChosenFilters>) => void
}

export function TraceFilterBar({ filters, set }: TraceFilterBarProps) {
  return (
    <FilterBar>
      <FilterText label="Search names" first value={filters.q} onChange={(q) => set({ q })} />
      <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
      <AgentFilter value={filters.agentId} onChange={(agentId) => set({ agentId })} />
      <StatusFilter value={filters.status} options={STATUSES} onChange={(status) => set({ status })} />
      <FilterRange last={filters.last} from={filters.from} to={filters.to} onChange={set} />
      <MoreFilters set={MORE.filter((name) => filters[name] !== '').length}>
        <FilterText
          label="Execution"
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
