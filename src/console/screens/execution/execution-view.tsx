import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { ResumePanel } from '../../execution/resume-panel.tsx'
import type { FollowedExecution } from '../../execution/use-execution.ts'
import { PinPanel } from '../../pins/pin-panel.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import type { Tab } from '../../ui/layout/tabs.tsx'
import { EventsTab } from './events-tab.tsx'
import { LogsTab } from './logs-tab.tsx'
import { MomentNote, useMoment } from './moment.tsx'
import { OmittedEventsNote } from './omitted-events-note.tsx'
import { FileRunTab, StoredRunTab } from './run/run-tab.tsx'

// loaded with this view, as one chunk
export { ExecutionActions } from './execution-actions.tsx'
export { FileChooser } from './file-chooser.tsx'
export { ReplayDialog } from './replay-dialog.tsx'

interface ExecutionViewProps {
  readonly record: ExecutionDetail
  /** Undefined for an execution from a file, which is read-only. */
  readonly live: FollowedExecution | undefined
  readonly replay?: (stepId: string) => void
}

/** The tabs of an execution. */
export function ExecutionView({ record, live, replay }: ExecutionViewProps) {
  const { router } = useServices()
  const moment = useMoment(record)
  const shown = moment.record
  const showStep = (stepId: string) => {
    const path = record.steps.find((step) => step.stepId === stepId)?.path
    router.setSearch({ tab: undefined, view: undefined, step: path }, { replace: false })
  }
  const run = { record, replay, moment }
  const tabs: [Tab, ...Tab[]] = [
    {
      id: 'run',
      name: 'Run',
      render: () => (live ? <StoredRunTab {...run} isPaused={live.paused} /> : <FileRunTab {...run} />),
    },
    {
      id: 'events',
      name: 'Events',
      count: shown.events.length,
      render: () => <EventsTab record={shown} showStep={showStep} />,
    },
  ]
  if (live)
    tabs.push({
      id: 'logs',
      name: 'Logs',
      render: () => <LogsTab record={record} showStep={showStep} until={moment.at} />,
    })
  return (
    <>
      {live && <PinPanel executionId={record.id} />}
      {live && record.status === 'suspended' && <ResumePanel record={record} refetch={live.refetch} />}
      <OmittedEventsNote record={record} />
      <Tabs label="Run" tabs={tabs} />
      <MomentNote moment={moment} />
    </>
  )
}
