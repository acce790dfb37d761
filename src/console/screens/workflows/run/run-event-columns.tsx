import type { RecordedEvent } from '../../../../contract/event.ts'
import { eventTime } from '../../../../contract/fold-events.ts'
import type { Column } from '../../../ui/table/data-table.tsx'
import { durationText, exactTime } from '../../../ui/time/format-time.ts'
import { StatusIcon } from '../../../ui/state/status-badge.tsx'

/** The columns of the events beside the graph, for an execution that started at `start`. */
export function runEventColumns(start: number): readonly Column<RecordedEvent>[] {
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
