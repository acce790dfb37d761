import type { RecordedEvent } from '../../../../contract/event.ts'
import { shortJson } from '../../../json/short-json.ts'
import type { Column } from '../../../ui/table/data-table.tsx'
import { durationText, exactTime } from '../../../ui/time/format-time.ts'
import { StatusIcon } from '../../../ui/state/status-badge.tsx'
import { eventTime } from '../../../../contract/fold-events.ts'

/** The columns of the events of an execution that started at `start`. */
export function eventColumns(start: number): readonly Column<RecordedEvent>[] {
  return [
    { name: '#', width: '3.5rem', align: 'right', cell: ({ id }) => <span className="text-dim">{id}</span> },
    {
      name: 'After',
      width: '5.5rem',
      align: 'right',
      cell: (event) => (
        <span title={exactTime(eventTime(event))}>{durationText(eventTime(event) - start)}</span>
      ),
    },
    {
      name: 'Type',
      width: '11rem',
      cell: ({ type, status }) => (
        <span className="inline-flex items-center gap-1.5 align-top">
          <StatusIcon status={status} />
          {type}
        </span>
      ),
    },
    {
      name: 'From',
      width: 'minmax(6rem, 1fr)',
      cell: ({ name, from }) => (name === from ? from : `${from}: ${name}`),
    },
    {
      name: 'Attempt',
      width: '4.5rem',
      align: 'right',
      cell: (event) => (typeof event['attempt'] === 'number' ? event['attempt'] : ''),
    },
    {
      name: 'Data',
      width: 'minmax(8rem, 3fr)',
      cell: (event) => <span className="font-mono text-sm text-dim">{shortJson(dataOf(event))}</span>,
    },
  ]
}

/** The payload of an event. */
function dataOf(event: RecordedEvent): unknown {
  for (const key of ['error', 'output', 'result', 'resumeData', 'data', 'reason', 'input'])
    if (event[key] !== undefined && event[key] !== null) return event[key]
  return undefined
}
