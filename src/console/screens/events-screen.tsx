import { useState } from 'react'
import type { FormEvent } from 'react'
import type { ReceivedEvent } from '../../contract/endpoints/waiting.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useEndpoint, useAction, usePolling } from '../api/use-endpoint.ts'
import { useUnsaved } from '../form/use-form.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { parseJson, shortJson } from '../json/parse-json.ts'
import { sendKeys } from '../keys/send-keys.ts'
import { useChanges } from '../live/use-topic.ts'
import { Link } from '../router/link.tsx'
import { useLocation } from '../router/use-location.ts'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { EmptyState } from '../ui/state/states.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListView } from '../ui/table/list-view.tsx'
import { Time } from '../ui/time/time.tsx'

const UPDATE_MS = 500
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
  useChanges('executions', refetch, UPDATE_MS)
  usePolling(refetch, POLL_MS)
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
                An event continues the runs that wait for its name and key. Send one with the form, over HTTP
                or from the terminal:
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

/** A form that sends an event. A link can fill in its name and key. */
function SendEvent({ sent }: { readonly sent: () => void }) {
  const { toasts } = useServices()
  const { search } = useLocation()
  const [name, setName] = useState(search.get('name') ?? '')
  const [key, setKey] = useState(search.get('key') ?? '')
  const [data, setData] = useState('{}')
  const [problem, setProblem] = useState<string>()
  const [sentData, setSentData] = useState('{}')
  useUnsaved(data !== sentData)
  const send = useAction('sendEvent')
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const parsed = parseJson(data)
    setProblem(parsed ? undefined : 'Is not valid JSON')
    if (!parsed || name.trim() === '' || send.isPending) return
    send.mutate(
      { body: { name: name.trim(), ...(key !== '' && { key }), data: parsed.value } },
      {
        onSuccess: ({ resumed, started, cancelled }) => {
          setSentData(data)
          const [first] = [...resumed, ...started, ...cancelled]
          const counts = [
            resumed.length > 0 && `${executions(resumed)} resumed`,
            started.length > 0 && `${executions(started)} started`,
            cancelled.length > 0 && `${executions(cancelled)} cancelled`,
          ].filter((count) => count !== false)
          if (first === undefined) toasts.info('Event stored: nobody waits for it yet')
          else toasts.info(counts.join(', '), { to: `executions/${encodeURIComponent(first)}`, text: 'Open' })
        },
        onError: (failure) => setProblem(errorMessage(failure)),
        onSettled: sent,
      },
    )
  }
  return (
    <section
      aria-label="Send an event"
      className="shrink-0 border-line p-4 max-lg:border-b lg:w-80 lg:overflow-auto lg:border-l"
    >
      <h2 className="pb-2 font-semibold">Send an event</h2>
      <form onSubmit={submit} onKeyDown={sendKeys(() => submit())} className="flex flex-col gap-3">
        <TextField label="Name" value={name} onChange={setName} />
        <TextField label="Key (optional)" value={key} onChange={setKey} />
        <JsonEditor label="Data" value={data} onChange={setData} onSubmit={() => submit()} error={problem} />
        <div>
          <Button
            kind="primary"
            type="submit"
            disabled={send.isPending || name.trim() === ''}
            keys="Control+Enter"
          >
            Send
          </Button>
        </div>
      </form>
    </section>
  )
}

function executions({ length }: readonly string[]): string {
  return length === 1 ? '1 run' : `${length} runs`
}
