import { useEffect, useRef } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { ResumePanel } from '../../execution/resume-panel.tsx'
import type { FollowedExecution } from '../../execution/use-execution.ts'
import { PinPanel } from '../../pins/pin-panel.tsx'
import { usePins } from '../../pins/pinned-bar.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import type { Tab } from '../../ui/layout/tabs.tsx'
import { ChatTab } from './chat-tab.tsx'
import { CompareTab } from './compare-tab.tsx'
import { ErrorCard } from './error-card.tsx'
import { EventsTab } from './events-tab.tsx'
import { MomentBar, useMoment } from './moment-bar.tsx'
import { CostsTab } from './costs-tab.tsx'
import { Details } from './details.tsx'
import { GraphTab } from './graph-tab.tsx'
import { LogsTab } from './logs-tab.tsx'
import { StateTab } from './state-tab.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { ErrorView } from '../../ui/state/error-view.tsx'
import { Section } from '../../ui/layout/side-panel.tsx'

// loaded with this view, as one chunk
export { ExecutionActions } from './execution-actions.tsx'
export { FileChooser } from './file-chooser.tsx'
export { ReplayDialog } from './replay-dialog.tsx'

/** Input and output, or the error, of an execution. */
function IoTab({ record }: { readonly record: ExecutionDetail }) {
  const { status, error, suspension } = record
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <Section level={2} title="Input">
        <JsonView value={record.input} label="Input" open={3} />
      </Section>
      {error ? (
        <Section level={2} title={error.stepId === undefined ? 'Error' : `Error of ${error.stepId}`}>
          <ErrorView error={error} />
        </Section>
      ) : (
        <Section level={2} title="Output">
          {'output' in record ? (
            <JsonView value={record.output} label="Output" open={3} />
          ) : (
            <p className="text-dim">
              {status === 'suspended' && suspension
                ? `None yet: suspended at step ${suspension.stepId}`
                : status === 'running'
                  ? 'None yet: running'
                  : 'None'}
            </p>
          )}
        </Section>
      )}
    </div>
  )
}

interface ExecutionViewProps {
  readonly record: ExecutionDetail
  /** Undefined for an execution from a file, which is read-only. */
  readonly live: FollowedExecution | undefined
  readonly replay?: (stepId: string) => void
}

/** The tabs of an execution. */
export function ExecutionView({ record, live, replay }: ExecutionViewProps) {
  const { router } = useServices()
  const stored = live !== undefined
  const moment = useMoment(record)
  const shown = moment.record
  const isPast = moment.at !== undefined
  const isPinned = usePins().pins.some(({ executionId }) => stored && executionId === record.id)
  useFailedStep(record)
  const showStep = (stepId: string) => {
    const path = record.steps.find((step) => step.stepId === stepId)?.path
    router.setSearch({ tab: undefined, step: path }, { replace: false })
  }
  const tabs: [Tab, ...Tab[]] = [
    {
      id: 'timeline',
      name: 'Timeline',
      render: () => <TimelineTab record={record} replay={replay} moment={moment} />,
    },
    {
      id: 'graph',
      name: 'Graph',
      render: () => <GraphTab record={shown} replay={replay} isPast={isPast} />,
    },
    {
      id: 'events',
      name: 'Events',
      count: shown.events.length,
      render: () => <EventsTab record={shown} showStep={showStep} />,
    },
    { id: 'state', name: 'State', render: () => <StateTab record={shown} stored={stored} isPast={isPast} /> },
    { id: 'io', name: 'Input and output', render: () => <IoTab record={shown} /> },
  ]
  if (stored && record.usage)
    tabs.push({ id: 'costs', name: 'Costs', render: () => <CostsTab executionId={record.id} /> })
  if (stored && (record.usage || record.steps.some(({ type }) => type === 'andAgent')))
    tabs.push({
      id: 'chat',
      name: 'Chat',
      render: () => <ChatTab traceId={record.metadata.traceId} until={moment.at} />,
    })
  if (stored)
    tabs.push(
      {
        id: 'logs',
        name: 'Logs',
        render: () => <LogsTab record={record} showStep={showStep} until={moment.at} />,
      },
      { id: 'compare', name: 'Compare', render: () => <CompareTab record={record} /> },
    )
  return (
    <>
      <Details record={record} stored={stored} />
      {live && <PinPanel executionId={record.id} />}
      {live && record.status === 'suspended' && <ResumePanel record={record} refetch={live.refetch} />}
      {record.status === 'error' && record.error && (
        <ErrorCard record={record} error={record.error} replay={replay} isPinned={isPinned} />
      )}
      <MomentBar moment={moment} />
      <Tabs label="Execution" tabs={tabs} />
    </>
  )
}

/** Selects the failed step of a failed execution when it is opened, unless the URL selects another one. */
function useFailedStep({ status, error, steps }: ExecutionDetail): void {
  const { router } = useServices()
  const isDone = useRef(false)
  useEffect(() => {
    if (status !== 'error' || isDone.current) return
    isDone.current = true
    const path = steps.find((step) => step.stepId === error?.stepId)?.path
    if (path !== undefined && !new URLSearchParams(location.search).has('step'))
      router.setSearch({ step: path })
  }, [router, status, error, steps])
}
