import { useMemo } from 'react'
import { Workflow } from 'lucide-react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { FilterBar, FilterText } from '../../filters/filter-bar.tsx'
import { StatusFilter } from '../../filters/declared-filter.tsx'
import { useChanges, useTopic } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { CARDS_BELOW, Card } from '../../ui/card.tsx'

import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { durationBetween } from '../../ui/time/format-time.ts'
import { SuccessRate } from './success-rate.tsx'
import { WORKFLOW_COLUMNS } from './workflow-columns.tsx'
import type { WorkflowRow } from './workflow-columns.tsx'

const FILTERS = { q: '', status: '' }
const STATUSES = ['idle', 'running']
const ACTIVITY_MS = 1000

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
  const { data: activity, refetch: refetchActivity } = useEndpoint('listWorkflowActivity', {})
  const refresh = () => {
    void refetch()
    void refetchActivity()
  }
  const refreshSoon = useThrottled(refresh, ACTIVITY_MS)
  useChanges('config', refresh)
  useTopic('executions', { onFrame: refreshSoon, onResync: refresh })
  const rows = useMemo(() => {
    const byId = new Map(activity?.map((one) => [one.workflowId, one]))
    const all = workflows?.map((one): WorkflowRow => ({ ...one, activity: byId.get(one.id) }))
    return all?.filter((row) => matches(row, filters))
  }, [workflows, activity, filters.q, filters.status])
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
  const text = `${id} ${name} ${purpose}`.toLowerCase()
  return filters.q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A workflow with its last executions. */
function WorkflowCard({
  row: { id, name, purpose, status, stepsCount, activity },
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
          {activity && <SuccessRate recent={activity.recent} label />}
        </>
      }
      runs={activity?.runs.map(({ executionId, status: outcome, createdAt, endedAt }) => ({
        id: executionId,
        to: `executions/${encodeURIComponent(executionId)}`,
        status: outcome,
        startedAt: createdAt,
        durationMs: durationBetween(createdAt, endedAt),
      }))}
      noRuns="No executions yet: open it to run it."
    />
  )
}
