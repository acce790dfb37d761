import { AgentFilter, WorkflowFilter } from '../../filters/declared-filter.tsx'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/status-filter.tsx'
import { FilterTime } from '../../filters/filter-time.tsx'
import { MoreFilters } from '../../filters/more-filters.tsx'
import type { TraceFilters } from './use-traces.ts'

const STATUSES = ['running', 'ok', 'error']
const MORE = ['executionId', 'conversationId', 'userId', 'minDurationMs', 'from', 'to'] as const

export interface TraceFilterBarProps {
  readonly filters: TraceFilters
  readonly set: (changes: Partial<TraceFilters>) => void
}

export function TraceFilterBar({ filters, set }: TraceFilterBarProps) {
  return (
    <FilterBar>
      <FilterText label="Search names" first value={filters.q} onChange={(q) => set({ q })} />
      <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
      <AgentFilter value={filters.agentId} onChange={(agentId) => set({ agentId })} />
      <StatusFilter value={filters.status} options={STATUSES} onChange={(status) => set({ status })} />
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
        <FilterTime label="After" value={filters.from} onChange={(from) => set({ from })} />
        <FilterTime label="Before" value={filters.to} onChange={(to) => set({ to })} />
      </MoreFilters>
    </FilterBar>
  )
}
