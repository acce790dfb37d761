import { useMemo, useState } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import type { RecordedEvent } from '../../../../contract/event.ts'
import { eventTime } from '../../../../contract/fold-events.ts'
import { isFinal } from '../../../../contract/is-final.ts'
import { CancelDialog } from '../../../execution/end-dialogs.tsx'
import { ResumePanel } from '../../../execution/resume-panel.tsx'
import type { FollowedExecution } from '../../../execution/use-execution.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { useKeys } from '../../../keys/use-keys.ts'
import { Link } from '../../../router/link.tsx'
import { Button, CloseButton } from '../../../ui/controls/button.tsx'
import { Section } from '../../../ui/layout/side-panel.tsx'
import { ErrorView } from '../../../ui/state/error-view.tsx'
import { Pending } from '../../../ui/state/states.tsx'
import { StatusBadge, StatusIcon } from '../../../ui/state/status-badge.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { Column } from '../../../ui/table/data-table.tsx'
import { countText, durationBetween, durationText, exactTime } from '../../../ui/time/format-time.ts'
import { Duration } from '../../../ui/time/time.tsx'

export interface RunProgressProps {
  readonly executionId: string
  readonly followed: FollowedExecution
  readonly close: () => void
  readonly chooseStep: (stepId: string) => void
}

/** The followed execution, updated live. */
export function RunProgress({ executionId, followed, close, chooseStep }: RunProgressProps) {
  const { record, error, refetch } = followed
  if (!record) return <Pending error={error} retry={refetch} what="Starting" />
  const { status, createdAt, endedAt, output } = record
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="sr-only">Run</h2>
        <span role="status">
          <StatusBadge status={status} />
        </span>
        <span className="text-dim">
          <Duration ms={durationBetween(createdAt, endedAt)} since={createdAt} />
        </span>
        <Link to={`executions/${encodeURIComponent(executionId)}`} title={executionId}>
          Run
        </Link>
        <span className="ml-auto flex items-center gap-1">
          {!isFinal(status) && <Cancel record={record} refetch={refetch} />}
          <CloseButton label="Close run" onClick={close} />
        </span>
      </div>
      {status === 'suspended' && <ResumePanel record={record} refetch={refetch} />}
      <div className="flex flex-col gap-3 px-4 py-3">
        {record.error && (
          <Section title="Error">
            {record.error.stepId !== undefined && <StepButton id={record.error.stepId} choose={chooseStep} />}
            <ErrorView error={record.error} />
          </Section>
        )}
        {status === 'completed' && (
          <Section title="Result">
            <div className="max-h-96 overflow-auto">
              <JsonView value={output} label="Result" />
            </div>
          </Section>
        )}
        <Events record={record} chooseStep={chooseStep} />
      </div>
    </div>
  )
}

function StepButton({ id, choose }: { readonly id: string; readonly choose: (id: string) => void }) {
  return (
    <p className="pb-1 text-sm">
      in step{' '}
      <button type="button" onClick={() => choose(id)} className="text-accent hover:underline">
        {id}
      </button>
    </p>
  )
}

function Cancel({ record, refetch }: Pick<FollowedExecution, 'refetch'> & { record: ExecutionDetail }) {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  useKeys([{ keys: 'c', label: 'Cancel run', group: 'Workflow', run: open }])
  return (
    <>
      <Button size="small" kind="danger" keys="c" onClick={open}>
        Cancel
      </Button>
      {isOpen && <CancelDialog record={record} refetch={refetch} close={() => setOpen(false)} />}
    </>
  )
}

function Events({ record, chooseStep }: Pick<RunProgressProps, 'chooseStep'> & { record: ExecutionDetail }) {
  const { events, createdAt } = record
  const columns = useMemo(() => runEventColumns(Date.parse(createdAt)), [createdAt])
  const title = `${countText(events.length)} events`
  return (
    <Section title={title}>
      <div className="flex h-80 flex-col rounded-sm border border-line">
        <DataTable
          label="Events"
          columns={columns}
          count={events.length}
          row={(index) => events[index]}
          rowKey={({ id }) => id}
          follow
          open={({ type, from }) => {
            if (type.startsWith('step-') || type === 'custom') chooseStep(from)
          }}
        />
      </div>
    </Section>
  )
}

/** The columns of the events beside the graph, for an execution that started at `start`. */
function runEventColumns(start: number): readonly Column<RecordedEvent>[] {
  return [
    {
      name: 'After',
      width: '4rem',
      align: 'right',
      cell: (event) => (
        <span title={exactTime(eventTime(event))}>{durationText(eventTime(event) - start)}</span>
      ),
    },
    {
      name: 'Event',
      width: 'minmax(9.75rem, 1fr)',
      cell: ({ type, status }) => (
        <span className="flex items-center gap-1.5">
          <StatusIcon status={status} />
          {type}
        </span>
      ),
    },
    {
      name: 'Step',
      width: 'minmax(4rem, 1fr)',
      cell: (event) => <bdi>{stepOf(event)}</bdi>,
    },
  ]
}

function stepOf(event: RecordedEvent): string {
  if (event.type === 'custom') return `${event.from}: ${event.name}`
  if (event.type.startsWith('step-')) return event.from
  const stepId = event['stepId']
  return typeof stepId === 'string' ? stepId : ''
}
