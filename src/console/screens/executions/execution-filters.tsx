import { WorkflowFilter } from '../../filters/declared-filter.tsx'
import { ExecutionStatusFilter } from '../../filters/status-filter.tsx'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { FilterChip } from '../../filters/filter-chip.tsx'
import { FilterRange } from '../../filters/filter-range.tsx'

export const NO_FILTERS = {
  q: '',
  workflowId: '',
  status: '',
  userId: '',
  conversationId: '',
  metadata: '',
  parentExecutionId: '',
  forkedFrom: '',
  last: '',
  from: '',
  to: '',
}

export interface ExecutionFiltersProps {
  readonly filters: typeof NO_FILTERS
  readonly set: (changes: Partial<typeof NO_FILTERS>) => void
}

/** The filters of the list of executions. */
export function ExecutionFilters({ filters, set }: ExecutionFiltersProps) {
  return (
    <FilterBar>
      <FilterText label="Search" first value={filters.q} onChange={(q) => set({ q })} />
      <WorkflowFilter value={filters.workflowId} onChange={(workflowId) => set({ workflowId })} />
      <ExecutionStatusFilter value={filters.status} onChange={(status) => set({ status })} />
      <FilterText label="User" value={filters.userId} onChange={(userId) => set({ userId })} />
      <FilterText
        label="Conversation"
        value={filters.conversationId}
        onChange={(conversationId) => set({ conversationId })}
      />
      <FilterText
        label="Metadata: plan=pro"
        value={filters.metadata}
        onChange={(metadata) => set({ metadata })}
      />
      <FilterRange last={filters.last} from={filters.from} to={filters.to} onChange={set} />
      <FilterChip
        label="Parent"
        value={filters.parentExecutionId}
        remove={() => set({ parentExecutionId: '' })}
      />
      <FilterChip label="Replays of" value={filters.forkedFrom} remove={() => set({ forkedFrom: '' })} />
    </FilterBar>
  )
}
