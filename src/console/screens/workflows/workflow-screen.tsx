import type { ReactNode } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { WorkflowDetail } from '../../../contract/endpoints/workflow.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { flattenSteps } from '../../graph/step-tree.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { useChanges, useTopic } from '../../live/use-topic.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import type { ScreenProps } from '../../router/route.ts'
import { useServices } from '../../services/services-context.tsx'
import { CopyButton, copyText } from '../../ui/controls/button.tsx'
import { Detail } from '../../ui/layout/key-value.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { durationText } from '../../ui/time/format-time.ts'
import { GraphTab } from './graph-tab.tsx'
import { RunsTab } from './runs-tab.tsx'
import { StatisticsTab } from './statistics-tab.tsx'
import { StepsTab } from './steps-tab.tsx'

const STATUS_MS = 1000
const EXECUTION = { execution: '' }

/** One workflow: graph and run form, steps, schemas and executions. */
export function WorkflowScreen({ params: { id = '' } }: ScreenProps) {
  const { router, toasts } = useServices()
  const { data: workflow, error, refetch } = useEndpoint('getWorkflow', { params: { id } })
  const [{ execution }] = useUrlState(EXECUTION)
  // the graph follows it, and refetches it when it ends or waits
  const { data: followed } = useEndpoint(
    'observeExecution',
    { params: { executionId: execution } },
    { enabled: execution !== '' },
  )
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
            <StatusBadge status={followed?.status ?? status} />
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
        <Link to={`executions?workflowId=${encodeURIComponent(id)}`}>its runs</Link>.
      </EmptyState>
    </>
  )
}

const PARTS = [
  ['inputSchema', 'Input', 'input of the workflow'],
  ['resultSchema', 'Result', 'output of the workflow'],
  ['suspendSchema', 'Suspend', 'suspend data, unless a step has its own schema'],
  ['resumeSchema', 'Resume', 'resume data, unless a step has its own schema'],
] as const

/** The JSON Schemas of the workflow. */
function SchemaTab({ workflow }: { readonly workflow: WorkflowDetail }) {
  return (
    <div className="grid gap-x-8 gap-y-6 p-4 xl:grid-cols-2">
      {PARTS.map(([key, name, description]) => (
        <section key={key} aria-label={`${name} schema`} className="min-w-0">
          <h2 className="pb-1 font-semibold">
            {name} <span className="font-normal text-dim">{description}</span>
          </h2>
          {workflow[key] === null ? (
            <p className="text-dim">Not defined</p>
          ) : (
            <JsonView value={workflow[key]} label={`${name} schema as JSON`} open={4} />
          )}
        </section>
      ))}
    </div>
  )
}

type Trigger = NonNullable<WorkflowDetail['on']>[number]

/** The events that a workflow reacts to, and its hooks; nothing for a workflow without. */
function Triggers({ workflow: { on, cancelOn, debounce, hooks } }: { readonly workflow: WorkflowDetail }) {
  if (!on && !cancelOn && !hooks) return null
  return (
    <dl
      aria-label="Events and hooks"
      className="flex shrink-0 flex-wrap items-center gap-x-6 border-b border-line px-4 py-1"
    >
      {on && <Detail name="Starts on">{on.map((trigger, n) => eventText(trigger, n))}</Detail>}
      {debounce && (
        <Detail name="Debounce">
          the last event of {durationText(debounce.perMs)}
          {debounce.computesKey && ', by key'}
        </Detail>
      )}
      {cancelOn && <Detail name="Cancelled on">{cancelOn.map((trigger, n) => eventText(trigger, n))}</Detail>}
      {hooks && <Detail name="Hooks">{hooks.join(', ')}</Detail>}
    </dl>
  )
}

/** An event with its key, such as `order.paid (key: A-1)`. */
function eventText({ event, key, computesKey, filters }: Trigger, index: number): ReactNode {
  const details = [
    key !== undefined && `key: ${key}`,
    computesKey && 'key of a function',
    filters && 'filtered',
  ].filter((part) => typeof part === 'string')
  return (
    <span key={index}>
      <bdi className="font-mono text-sm">{event}</bdi>
      {details.length > 0 && <span className="text-dim"> ({details.join(', ')})</span>}
    </span>
  )
}
