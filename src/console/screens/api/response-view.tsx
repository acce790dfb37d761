import { useState, memo } from 'react'
import { errorMessage } from '../../api/request-failure.ts'
import { JsonView } from '../../json/json-view.tsx'
import { parseJson } from '../../json/parse-json.ts'
import { Button, CopyButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { useStickToEnd } from '../../ui/table/use-stick-to-end.ts'
import { countText, durationText } from '../../ui/time/format-time.ts'
import { Duration } from '../../ui/time/time.tsx'
import type { Exchange, ReceivedEvent } from './use-exchange.ts'

/** The response, possibly still streaming. */
export function ResponseView({ exchange }: { readonly exchange: Exchange }) {
  const { state, status, statusText, headers, firstMs, tookMs, events, eventCount, error } = exchange
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p role="status" className="flex flex-wrap items-center gap-x-3">
        {state === 'waiting' && <StatusBadge status="running" text="waiting for response" />}
        {state === 'streaming' && <StatusBadge status="running" text="streaming" />}
        {state === 'stopped' && <StatusBadge status="cancelled" />}
        {state === 'failed' && <StatusBadge status="error" text="no response" />}
        {status !== undefined && (
          <StatusBadge status={status < 400 ? 'ok' : 'error'} text={`${status} ${statusText ?? ''}`.trim()} />
        )}
        {firstMs !== undefined && (
          <span className="text-sm text-dim" title="Time to the response headers">
            headers <Duration ms={firstMs} />
          </span>
        )}
        {tookMs !== undefined && (
          <span className="text-sm text-dim" title="Time to the end of the response">
            total <Duration ms={tookMs} />
          </span>
        )}
        {eventCount !== undefined && <span className="text-sm">{`${countText(eventCount)} events`}</span>}
      </p>
      {state === 'failed' && <p className="break-words text-error">{errorMessage(error)}</p>}
      {headers && <Headers headers={headers} />}
      {events && eventCount !== undefined ? (
        <EventList events={events} count={eventCount} isOpen={state === 'streaming'} />
      ) : (
        <Body exchange={exchange} />
      )}
    </div>
  )
}

function Headers({ headers }: { readonly headers: NonNullable<Exchange['headers']> }) {
  return (
    <details>
      <summary className="text-sm text-dim">{`${headers.length} headers`}</summary>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 pt-1 font-mono text-sm">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-dim">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

const MAX_SHOWN = 20_000

function Body({ exchange: { text, bytes, headers } }: { readonly exchange: Exchange }) {
  const [isExpanded, setExpanded] = useState(false)
  if (bytes !== undefined) {
    const type = headers?.find(([name]) => name === 'content-type')?.[1]
    return <p className="text-dim">{`${countText(bytes)} bytes of ${type ?? 'unknown type'}`}</p>
  }
  if (text === undefined) return null
  if (text === '') return <p className="text-dim">Empty response body</p>
  const json = parseJson(text)
  if (json) return <JsonView value={json.value} label="Response" open={3} />
  const isTruncated = text.length > MAX_SHOWN && !isExpanded
  return (
    <div className="relative">
      <pre
        tabIndex={0}
        role="group"
        aria-label="Response"
        className="max-h-[60vh] overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2 pr-9 font-mono text-sm"
      >
        {isTruncated ? text.slice(0, MAX_SHOWN) : text}
      </pre>
      <div className="absolute right-1 top-1">
        <CopyButton text={text} label="Copy response" />
      </div>
      {isTruncated && (
        <Button size="small" onClick={() => setExpanded(true)}>
          {`Show ${countText(text.length - MAX_SHOWN)} more characters`}
        </Button>
      )}
    </div>
  )
}

interface EventListProps {
  /** The newest events. */
  readonly events: readonly ReceivedEvent[]
  readonly count: number
  readonly isOpen: boolean
}

/** The events of a stream. The list follows new ones until the user scrolls up. */
function EventList({ events, count, isOpen }: EventListProps) {
  const { ref } = useStickToEnd<HTMLDivElement>(events)
  const hidden = count - events.length
  return (
    <div
      ref={ref}
      role="log"
      aria-label="Events"
      aria-busy={isOpen}
      tabIndex={0}
      className="max-h-[60vh] min-h-24 overflow-auto rounded-md border border-line"
    >
      {hidden > 0 && (
        <p className="px-2 text-sm text-dim">{`${countText(hidden)} earlier events are not shown`}</p>
      )}
      {events.map((event) => (
        <EventRow key={event.number} event={event} />
      ))}
      {events.length === 0 && <p className="p-2 text-dim">{isOpen ? 'Waiting for events…' : 'No events'}</p>}
    </div>
  )
}

const EventRow = memo(function EventRow({ event }: { readonly event: ReceivedEvent }) {
  const [isOpen, setOpen] = useState(false)
  const { id, event: name, data, afterMs, number } = event
  const json = isOpen ? parseJson(data) : undefined
  const type = name ?? /"type":"([^"]{1,60})"/.exec(data.slice(0, 300))?.[1]
  return (
    <div className="border-b border-line last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 w-full items-center gap-2 px-2 py-0.5 text-left hover:bg-hover"
      >
        <Icon name={isOpen ? 'down' : 'right'} className="text-dim" />
        <span className="w-10 shrink-0 truncate text-right font-mono text-sm text-dim">{id ?? number}</span>
        <span className="w-16 shrink-0 text-right text-sm text-dim">{durationText(afterMs)}</span>
        {type !== undefined && <span className="max-w-44 shrink-0 truncate font-mono text-sm">{type}</span>}
        <span className="min-w-0 flex-1 truncate font-mono text-sm text-dim">{data.slice(0, 300)}</span>
      </button>
      {isOpen && (
        <div className="px-2 pb-2 pl-8">
          {json ? (
            <JsonView value={json.value} label={`Event ${number}`} open={3} />
          ) : (
            <pre className="whitespace-pre-wrap break-words font-mono text-sm">{data}</pre>
          )}
        </div>
      )}
    </div>
  )
})
