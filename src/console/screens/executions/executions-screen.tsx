import { useServices } from '../../app/services-context.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { countText } from '../../ui/format-time.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { EXECUTION_COLUMNS } from '../../executions/execution-columns.tsx'
import { useExecutions } from '../../executions/use-executions.ts'

const STATUSES = ['running', 'suspended', 'completed', 'error', 'cancelled']
const FILTERS = { workflowId: '', status: '', userId: '', conversationId: '', from: '', to: '' }

const RUN_ONE = `npx agentserver list workflows
npx agentserver run-workflow <id> --input '{}'`

/** All executions, newest first, as they happen. */
export function ExecutionsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data: workflows = [] } = useEndpoint('listWorkflows', {})
  const list = useExecutions(filters)
  const filtered = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <PageHeader
        title="Executions"
        aside={list.total !== undefined && <span className="text-dim">{countText(list.total)}</span>}
      />
      <FilterBar>
        <FilterSelect
          label="Workflow"
          value={filters.workflowId}
          options={workflows.map(({ id }) => id)}
          onChange={(workflowId) => setFilters({ workflowId })}
        />
        <FilterSelect
          label="Status"
          value={filters.status}
          options={STATUSES}
          onChange={(status) => setFilters({ status })}
        />
        <FilterText label="User" first value={filters.userId} onChange={(userId) => setFilters({ userId })} />
        <FilterText
          label="Conversation"
          value={filters.conversationId}
          onChange={(conversationId) => setFilters({ conversationId })}
        />
      </FilterBar>
      {list.error && list.total === undefined ? (
        <ErrorState error={list.error} retry={list.refetch} />
      ) : list.total === undefined ? (
        <Loading />
      ) : list.total === 0 ? (
        <Nothing filtered={filtered} />
      ) : (
        <DataTable
          label="Executions"
          columns={EXECUTION_COLUMNS}
          count={list.total}
          row={list.at}
          rowKey={({ id }) => id}
          onVisible={list.show}
          open={({ id }) => void router.navigate(`executions/${encodeURIComponent(id)}`)}
        />
      )}
    </>
  )
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <EmptyState title="No execution fits these filters" />
  return (
    <EmptyState title="Nothing has run yet" code={RUN_ONE}>
      Run a workflow here, over HTTP, or from the terminal:
    </EmptyState>
  )
}
