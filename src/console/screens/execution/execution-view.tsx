import { useState } from 'react'
import type { ExecutionDetail } from '../../../contract/execution.ts'
import { useServices } from '../../app/services-context.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Tab } from '../../ui/tabs.tsx'
import { ExecutionActions } from './actions/execution-actions.tsx'
import { ReplayDialog } from './actions/replay-dialog.tsx'
import { ResumePanel } from '../../execution/resume-panel.tsx'
import { CompareTab } from './compare/compare-tab.tsx'
import type { FollowedExecution } from '../../execution/use-execution.ts'
import { EventsTab } from './events/events-tab.tsx'
import { Facts } from './parts/facts.tsx'
import { GraphTab } from './parts/graph-tab.tsx'
import { IoTab } from './parts/io-tab.tsx'
import { LogsTab } from './parts/logs-tab.tsx'
import { StateTab } from './parts/state-tab.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'

export interface ExecutionViewProps {
  readonly record: ExecutionDetail
  /** Undefined for one from a file: it is read alone. */
  readonly live: FollowedExecution | undefined
}

/** An execution, whole. */
export function ExecutionView({ record, live }: ExecutionViewProps) {
  const { router } = useServices()
  const [replayed, setReplayed] = useState<{ readonly stepId: string | undefined }>()
  const stored = live !== undefined
  const chosenStep = () => {
    const path = new URLSearchParams(location.search).get('step')
    return record.steps.find((step) => step.path === path)?.stepId
  }
  const showStep = (stepId: string) => {
    const path = record.steps.find((step) => step.stepId === stepId)?.path
    router.setSearch({ tab: undefined, step: path }, { replace: false })
  }
  const replay = (stepId: string | undefined) => setReplayed({ stepId })
  const tabs: [Tab, ...Tab[]] = [
    {
      id: 'timeline',
      name: 'Timeline',
      render: () => <TimelineTab record={record} replay={stored ? replay : undefined} />,
    },
    {
      id: 'graph',
      name: 'Graph',
      render: () => <GraphTab record={record} replay={stored ? replay : undefined} />,
    },
    {
      id: 'events',
      name: 'Events',
      count: record.events.length,
      render: () => <EventsTab record={record} showStep={showStep} />,
    },
    { id: 'state', name: 'State', render: () => <StateTab record={record} stored={stored} /> },
    { id: 'io', name: 'Input and output', render: () => <IoTab record={record} /> },
  ]
  if (stored)
    tabs.push(
      { id: 'logs', name: 'Logs', render: () => <LogsTab record={record} showStep={showStep} /> },
      { id: 'compare', name: 'Compare', render: () => <CompareTab record={record} /> },
    )
  return (
    <>
      <PageHeader
        title={record.workflowName}
        aside={
          <>
            <StatusBadge status={record.status} />
            {!stored && <span className="text-sm text-dim">from a file</span>}
          </>
        }
        {...(live && {
          actions: (
            <ExecutionActions
              record={record}
              live={live}
              replay={() => replay(chosenStep())}
              compare={() => router.setSearch({ tab: 'compare' }, { replace: false })}
            />
          ),
        })}
      />
      <Facts record={record} stored={stored} />
      {live && record.status === 'suspended' && <ResumePanel record={record} refetch={live.refetch} />}
      <Tabs label="Execution" tabs={tabs} />
      {replayed && (
        <ReplayDialog record={record} stepId={replayed.stepId} close={() => setReplayed(undefined)} />
      )}
    </>
  )
}
