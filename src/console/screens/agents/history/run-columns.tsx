import { formatCost } from '../../../../contract/usage/cost.ts'
import { shortJson } from '../../../json/short-json.ts'
import type { Column } from '../../../ui/table/data-table.tsx'
import { countText } from '../../../ui/time/format-time.ts'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { Duration, Time } from '../../../ui/time/time.tsx'
import type { Run } from '../chat/session/chat-message.ts'
import { textOf } from '../chat/session/chat-message.ts'
import { fromInput } from '../chat/session/ui-messages.ts'

/** The first three remain when a run is open beside the list. */
export const RUN_COLUMNS: readonly Column<Run>[] = [
  { name: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Input', width: 'minmax(7rem, 2fr)', cell: ({ input }) => lastQuestion(input) },
  { name: 'Started', width: '5.5rem', align: 'right', cell: ({ startTime }) => <Time at={startTime} /> },
  {
    name: 'Output',
    width: 'minmax(7rem, 3fr)',
    cell: ({ output, error }) =>
      error === undefined ? (
        <span className="text-dim">{output === null ? '' : shortJson(output)}</span>
      ) : (
        <span className="text-error">{error}</span>
      ),
  },
  {
    name: 'Conversation',
    width: '7rem',
    cell: ({ conversationId }) => <span className="font-mono text-sm text-dim">{conversationId}</span>,
  },
  { name: 'User', width: '5rem', cell: ({ userId }) => userId },
  {
    name: 'Tokens',
    width: '4.5rem',
    align: 'right',
    cell: ({ usage }) => usage && countText(usage.totalTokens),
  },
  {
    name: 'Cost',
    width: '4.5rem',
    align: 'right',
    cell: ({ usage }) => usage && usage.costUsd !== null && formatCost(usage.costUsd),
  },
  {
    name: 'Duration',
    width: '5rem',
    align: 'right',
    cell: ({ startTime, endTime }) => (
      <Duration
        ms={endTime === null ? undefined : Date.parse(endTime) - Date.parse(startTime)}
        since={startTime}
      />
    ),
  },
]

/** The last user message of the input. */
export function lastQuestion(input: unknown): string {
  const question = fromInput(input).findLast(({ role }) => role === 'user')
  return question ? textOf(question).slice(0, 300) : shortJson(input)
}
