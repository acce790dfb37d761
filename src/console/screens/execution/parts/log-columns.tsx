import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { Column } from '../../../ui/table/data-table.tsx'
import { durationText, exactTime } from '../../../ui/time/format-time.ts'
import { LogLevelMark } from '../../../ui/state/log-level-mark.tsx'

/** The columns of the log of an execution that started at `start`. */
export function logColumns(start: number): readonly Column<LogRecord>[] {
  return [
    {
      name: 'After',
      width: '5.5rem',
      align: 'right',
      cell: ({ timestamp }) => (
        <span title={exactTime(timestamp)}>{durationText(Math.max(0, Date.parse(timestamp) - start))}</span>
      ),
    },
    { name: 'Level', width: '4rem', cell: ({ level }) => <LogLevelMark level={level} /> },
    {
      name: 'Step',
      width: 'minmax(5rem, 10rem)',
      cell: ({ attributes }) => (typeof attributes['stepId'] === 'string' ? attributes['stepId'] : ''),
    },
    {
      name: 'Message',
      width: 'minmax(10rem, 1fr)',
      cell: ({ message }) => <span className="font-mono text-sm">{message.slice(0, 500)}</span>,
    },
  ]
}
