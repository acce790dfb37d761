import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { runCommand } from '../../code/request-code.ts'
import { EXECUTION_COLUMNS } from '../../executions/execution-columns.tsx'
import { useExecutions } from '../../executions/use-executions.ts'
import { canStart } from './run/run-panel.tsx'
import { fillRunForm } from '../../execution/saved-run.ts'
import { useServices } from '../../services/services-context.tsx'
import { ExecutionStatusFilter } from '../../filters/declared-filter.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { ListView } from '../../ui/table/list-view.tsx'
import { EmptyState } from '../../ui/state/states.tsx'

const FILTERS = { status: '', userId: '', conversationId: '', from: '', to: '' }
const COLUMNS = EXECUTION_COLUMNS.filter(({ name }) => name !== 'Workflow')
const WITH_AGAIN = [
  ...COLUMNS,
  {
    name: 'Again',
    width: '3.5rem',
    // narrow windows have it on the page of the execution
    onlyWide: true,
    cell: (record: ExecutionRecord) => <RunAgain record={record} />,
  },
]

/** Opens the run form with the input of an execution. */
function RunAgain({ record }: { readonly record: ExecutionRecord }) {
  const { router } = useServices()
  // a list leaves out large inputs
  if (record.input === undefined) return null
  return (
    <IconButton label="Run again with this input" onClick={() => void router.navigate(fillRunForm(record))}>
      <Icon name="retry" />
    </IconButton>
  )
}

/** The executions of one workflow, newest first, updated live. */
export function RunsTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const list = useExecutions({ ...filters, workflowId: workflow.id })
  const command = runCommand(workflow)
  const filtered = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <FilterBar>
        <ExecutionStatusFilter value={filters.status} onChange={(status) => setFilters({ status })} />
        <FilterText label="User" first value={filters.userId} onChange={(userId) => setFilters({ userId })} />
        <FilterText
          label="Conversation"
          value={filters.conversationId}
          onChange={(conversationId) => setFilters({ conversationId })}
        />
        {list.total !== undefined && (
          <span className="ml-auto text-sm text-dim">
            {countText(list.total)} {list.total === 1 ? 'run' : 'runs'}
          </span>
        )}
      </FilterBar>
      <ListView
        label="Runs"
        columns={canStart(workflow) ? WITH_AGAIN : COLUMNS}
        count={list.total}
        row={list.at}
        rowKey={({ id }) => id}
        onVisible={list.show}
        open={({ id }) => void router.navigate(`executions/${encodeURIComponent(id)}`)}
        error={list.error}
        retry={list.refetch}
        noun="run"
        filtered={filtered}
        empty={
          <EmptyState title="No runs yet" {...(command !== undefined && { code: command })}>
            Run the workflow with the form in the Graph tab, over HTTP or from the terminal
            {command === undefined ? '.' : ':'}
          </EmptyState>
        }
      />
    </>
  )
}
