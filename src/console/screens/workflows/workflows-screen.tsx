import { hasWords } from '../../search/found.ts'
import { useMemo } from 'react'
import { Workflow } from 'lucide-react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/declared-filter.tsx'
import { useChanges } from '../../live/use-topic.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { CARDS_BELOW, Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { durationBetween } from '../../ui/time/format-time.ts'
import type { WorkflowUsage } from '../../../contract/endpoints/usage.ts'
import type { WorkflowSummary } from '../../../contract/endpoints/workflow.ts'
import { Link } from '../../router/link.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { Time } from '../../ui/time/time.tsx'

const FILTERS = { q: '', status: '' }
const STATUSES = ['idle', 'running']
const UPDATE_MS = 1000

const EXAMPLE = [
  "import { createWorkflow, defineConfig } from 'agentserver'",
  '',
  "const hello = createWorkflow({ id: 'hello', name: 'Hello', purpose: 'Say hello' })",
  "  .andThen({ id: 'greet', execute: async ({ data }) => ({ greeting: 'Hello', data }) })",
  '',
  'export default defineConfig({ workflows: [hello] })',
].join('\n')

/** All workflows of the configuration. */
export function WorkflowsScreen() {
  const { router } = useServices()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data: workflows, error, refetch } = useEndpoint('listWorkflows', {})
  const { data: usage, refetch: refetchUsage } = useEndpoint('listWorkflowActivity', {})
  const refresh = () => {
    void refetch()
    void refetchUsage()
  }
  useChanges('config', refresh)
  useChanges('executions', refresh, UPDATE_MS)
  const rows = useMemo(() => {
    const byId = new Map(usage?.map((one) => [one.workflowId, one]))
    const all = workflows?.map((one): WorkflowRow => ({ ...one, usage: byId.get(one.id) }))
    return all?.filter((row) => matches(row, filters))
  }, [workflows, usage, filters.q, filters.status])
  return (
    <>
      <PageHeader title="Workflows" count={workflows?.length} />
      <FilterBar>
        <FilterText label="Search workflows" first value={filters.q} onChange={(q) => setFilters({ q })} />
        <StatusFilter
          value={filters.status}
          options={STATUSES}
          onChange={(status) => setFilters({ status })}
        />
      </FilterBar>
      <ListView
        label="Workflows"
        columns={WORKFLOW_COLUMNS}
        count={rows?.length}
        row={(index) => rows?.[index]}
        rowKey={({ id }) => id}
        card={
          workflows !== undefined && workflows.length < CARDS_BELOW
            ? (row) => <WorkflowCard row={row} />
            : undefined
        }
        open={({ id }) => void router.navigate(`workflows/${encodeURIComponent(id)}`)}
        error={error}
        retry={refresh}
        noun="workflow"
        filtered={workflows?.length !== 0}
        empty={
          <EmptyState title="No workflows yet" code={EXAMPLE}>
            Add one to agentserver.config.ts; this page updates when the file is saved.
          </EmptyState>
        }
      />
    </>
  )
}

function matches({ id, name, purpose, status }: WorkflowRow, filters: typeof FILTERS): boolean {
  if (filters.status !== '' && status !== filters.status) return false
  return hasWords(filters.q, id, name, purpose)
}

/** A workflow with its last executions. */
function WorkflowCard({
  row: { id, name, purpose, status, stepsCount, usage },
}: {
  readonly row: WorkflowRow
}) {
  return (
    <Card
      to={`workflows/${encodeURIComponent(id)}`}
      name={name}
      icon={Workflow}
      status={<StatusBadge status={status} />}
      description={purpose}
      details={
        <>
          {id !== name && <span className="font-mono">{id}</span>}
          <span>
            {stepsCount} {stepsCount === 1 ? 'step' : 'steps'}
          </span>
          {usage && <SuccessRate recent={usage.recent} label />}
        </>
      }
      runs={usage?.runs.map(({ executionId, status: outcome, createdAt, endedAt }) => ({
        id: executionId,
        to: `executions/${encodeURIComponent(executionId)}`,
        status: outcome,
        startedAt: createdAt,
        durationMs: durationBetween(createdAt, endedAt),
      }))}
      noRuns="No runs yet: open it to run it."
    />
  )
}

interface SuccessRateProps extends Pick<WorkflowUsage, 'recent'> {
  /** Says what it is. */
  readonly label?: boolean
}

/** The share of completed executions among the newest completed and failed ones. */
export function SuccessRate({ recent: { completed, error }, label = false }: SuccessRateProps) {
  const ended = completed + error
  if (ended === 0) return null
  return (
    <span title={`${completed} of the last ${ended} runs completed`}>
      {Math.floor((completed / ended) * 100)} %{label && ' completed'}
    </span>
  )
}

/** A workflow with its usage, once it is loaded. */
interface WorkflowRow extends WorkflowSummary {
  readonly usage: WorkflowUsage | undefined
}

const WORKFLOW_COLUMNS: readonly Column<WorkflowRow>[] = [
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Workflow',
    width: 'minmax(7rem, 1.2fr)',
    cell: ({ id, name }) => (
      <Link to={`workflows/${encodeURIComponent(id)}`} tabIndex={-1} title={name}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    name: 'Id',
    width: 'minmax(5rem, 1fr)',
    onlyWide: true,
    cell: ({ id }) => (
      <span className="font-mono text-sm text-dim" title={id}>
        {id}
      </span>
    ),
  },
  { name: 'Purpose', width: 'minmax(6rem, 3fr)', cell: ({ purpose }) => <bdi>{purpose}</bdi> },
  { name: 'Steps', width: '3rem', align: 'right', cell: ({ stepsCount }) => stepsCount },
  {
    name: 'Last run',
    width: '11rem',
    cell: ({ usage }) =>
      usage?.last && (
        <span className="flex items-center gap-2">
          <Link to={`executions/${encodeURIComponent(usage.last.executionId)}`} tabIndex={-1}>
            <StatusBadge status={usage.last.status} />
          </Link>
          <span className="text-dim">
            <Time at={usage.last.createdAt} />
          </span>
        </span>
      ),
  },
  {
    name: 'Success',
    width: '4rem',
    align: 'right',
    cell: ({ usage }) => usage && <SuccessRate recent={usage.recent} />,
  },
]
