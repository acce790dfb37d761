import { ApiError } from '../../../client/api-error.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { flattenSteps } from '../../graph/step-tree.ts'
import { useChanges } from '../../live/use-changes.ts'
import { useTopic } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { Link } from '../../router/link.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useKeys } from '../../keys/use-keys.ts'
import { copyText } from '../../ui/controls/copy-text.ts'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { GraphTab } from './graph-tab.tsx'
import { RunsTab } from './runs-tab.tsx'
import { SchemaTab } from './schema-tab.tsx'
import { StatisticsTab } from './statistics-tab.tsx'
import { StepsTab } from './steps-tab.tsx'
import { Triggers } from './triggers.tsx'

const STATUS_MS = 1000

/** One workflow: graph and run form, steps, schemas and executions. */
export function WorkflowScreen({ params: { id = '' } }: ScreenProps) {
  const { router, toasts } = useServices()
  const { data: workflow, error, refetch } = useEndpoint('getWorkflow', { params: { id } })
  const refresh = () => void refetch()
  const refreshSoon = useThrottled(refresh, STATUS_MS)
  // a new configuration is shown immediately; the status may lag behind
  useChanges('config', refresh)
  useTopic('executions', {
    onFrame: ({ data }) => {
      if ((data as { workflowId?: string }).workflowId === id) refreshSoon()
    },
  })
  useKeys([
    {
      keys: 'y',
      label: 'Copy link',
      group: 'Workflow',
      run: () => void copyText(router.url(currentPath(router)), toasts),
    },
  ])
  if (error instanceof ApiError && error.status === 404) return <NotFound id={id} />
  if (!workflow)
    return (
      <>
        <PageHeader title={id} />
        <Pending error={error} retry={refresh} />
      </>
    )
  const { name, purpose, status, steps } = workflow
  return (
    <>
      <PageHeader
        title={name}
        aside={
          <>
            {id !== name && (
              <span className="flex min-w-0 items-center gap-1 break-all font-mono text-sm text-dim">
                {id} <CopyButton text={id} label="Copy id" />
              </span>
            )}
            <StatusBadge status={status} />
            <span className="min-w-0 truncate text-dim" title={purpose}>
              {purpose}
            </span>
          </>
        }
      />
      <Triggers workflow={workflow} />
      <Tabs
        label="Workflow"
        tabs={[
          { id: 'graph', name: 'Graph', render: () => <GraphTab workflow={workflow} /> },
          {
            id: 'steps',
            name: 'Steps',
            count: flattenSteps(steps).length,
            render: () => <StepsTab workflow={workflow} />,
          },
          {
            id: 'statistics',
            name: 'Statistics',
            render: () => <StatisticsTab workflow={workflow} />,
          },
          { id: 'schema', name: 'Schema', render: () => <SchemaTab workflow={workflow} /> },
          { id: 'runs', name: 'Runs', render: () => <RunsTab workflow={workflow} /> },
        ]}
      />
    </>
  )
}

function currentPath({ location }: ReturnType<typeof useServices>['router']): string {
  const { path = '', search } = location() ?? {}
  const query = search?.toString() ?? ''
  return query === '' ? path : `${path}?${query}`
}

function NotFound({ id }: { readonly id: string }) {
  return (
    <>
      <PageHeader title={id} />
      <EmptyState title={`Workflow "${id}" not found`}>
        The current configuration does not contain it. This page updates when it does.{' '}
        <Link to="workflows">Show all workflows</Link> or{' '}
        <Link to={`executions?workflowId=${encodeURIComponent(id)}`}>its executions</Link>.
      </EmptyState>
    </>
  )
}
