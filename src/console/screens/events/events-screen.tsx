import type { ReceivedEvent } from '../../../contract/endpoints/waiting/waiting.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { shortJson } from '../../json/short-json.ts'
import { useThrottled } from '../../live/use-throttled.ts'
import { useTopic } from '../../live/use-topic.ts'
import { Link } from '../../router/link.tsx'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { Time } from '../../ui/time/time.tsx'
import { SendEvent } from './send-event.tsx'

const ACTIVITY_MS = 500
/** An event that nobody waits for changes no execution, so nothing reports it. */
const POLL_MS = 5000

const EXAMPLE = `npx agentserver send-event invoice.paid INV-1 --data '{"cents":4200}'`

const COLUMNS: readonly Column<ReceivedEvent>[] = [
  {
    name: 'Event',
    width: 'minmax(7rem, 1fr)',
    cell: ({ name }) => <span className="font-mono text-sm">{name}</span>,
  },
  {
    name: 'Key',
    width: 'minmax(5rem, 1fr)',
    cell: ({ key }) => (key === null ? <span className="text-dim">none</span> : <bdi title={key}>{key}</bdi>),
  },
  {
    name: 'Data',
    width: 'minmax(8rem, 2fr)',
    cell: ({ data }) => (
      <span className="font-mono text-sm text-dim" title={shortJson(data)}>
        {shortJson(data)}
      </span>
    ),
  },
  { name: 'Taken by', width: 'minmax(8rem, 1.5fr)', cell: (event) => <Takers {...event} /> },
  { name: 'Sender', width: '6rem', cell: ({ senderId }) => senderId },
  { name: 'Received', width: '6rem', align: 'right', cell: ({ at }) => <Time at={at} /> },
]

/** The events that were received, who took them, and a form that sends one. */
export function EventsScreen() {
  const { data: events, error, refetch } = useEndpoint('listEvents', {})
  const refresh = useThrottled(() => void refetch(), ACTIVITY_MS)
  useTopic('executions', { onFrame: refresh, onResync: refresh })
  usePolling(refresh, POLL_MS)
  return (
    <>
      <PageHeader title="Events" count={events?.length} />
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <div className="flex min-h-64 min-w-0 flex-1 flex-col max-lg:order-1">
          <ListView
            label="Events"
            columns={COLUMNS}
            count={events?.length}
            row={(index) => events?.[index]}
            rowKey={({ id, at }) => `${at} ${id}`}
            error={error}
            retry={refetch}
            noun="event"
            filtered={false}
            empty={
              <EmptyState title="No events received" code={EXAMPLE}>
                An event continues the executions that wait for its name and key. Send one with the form, over
                HTTP or from the terminal:
              </EmptyState>
            }
          />
        </div>
        <SendEvent sent={() => void refetch()} />
      </div>
    </>
  )
}

/** The executions that took an event, and the workflows that its data does not suit. */
function Takers({ takenBy, misfits = [] }: ReceivedEvent) {
  const [first] = takenBy
  if (first === undefined && misfits.length === 0) return <span className="text-dim">nobody yet</span>
  const reasons = misfits.map(({ workflowId, reason }) => `${workflowId}: ${reason}`).join('\n')
  return (
    <span className="flex gap-2">
      {first !== undefined && (
        <Link to={`executions/${encodeURIComponent(first)}`} className="truncate font-mono text-sm">
          {first}
        </Link>
      )}
      {takenBy.length > 1 && <span className="shrink-0 text-dim">+ {takenBy.length - 1}</span>}
      {misfits.length > 0 && (
        <span className="truncate text-dim" title={reasons}>
          did not fit {misfits.map(({ workflowId }) => workflowId).join(', ')}
        </span>
      )}
    </span>
  )
}
