import { useState } from 'react'
import { errorMessage } from '../../api/request-failure.ts'
import { JsonView } from '../../json/json-view.tsx'
import { parseJson } from '../../json/parse-json.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration } from '../../ui/time/time.tsx'
import { EventList } from './event-list.tsx'
import type { Exchange } from './use-exchange.ts'

/** What the server answered, or answers. */
export function ResponseView({ exchange }: { readonly exchange: Exchange }) {
  const { state, status, statusText, headers, firstMs, tookMs, events, eventCount, error } = exchange
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p role="status" className="flex flex-wrap items-center gap-x-3">
        {state === 'waiting' && <StatusBadge status="running" text="waiting" />}
        {state === 'streaming' && <StatusBadge status="running" text="streaming" />}
        {state === 'stopped' && <StatusBadge status="aborted" text="stopped" />}
        {state === 'failed' && <StatusBadge status="error" text="no answer" />}
        {status !== undefined && (
          <StatusBadge status={status < 400 ? 'ok' : 'error'} text={`${status} ${statusText ?? ''}`.trim()} />
        )}
        {firstMs !== undefined && (
          <span className="text-sm text-dim" title="Until the head of the answer">
            head <Duration ms={firstMs} />
          </span>
        )}
        {tookMs !== undefined && (
          <span className="text-sm text-dim" title="Until its end">
            whole <Duration ms={tookMs} />
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

const SHOWN = 20_000

function Body({ exchange: { text, bytes, headers } }: { readonly exchange: Exchange }) {
  const [isWhole, setWhole] = useState(false)
  if (bytes !== undefined) {
    const type = headers?.find(([name]) => name === 'content-type')?.[1]
    return <p className="text-dim">{`${countText(bytes)} bytes of ${type ?? 'unknown type'}`}</p>
  }
  if (text === undefined) return null
  if (text === '') return <p className="text-dim">The answer has no body.</p>
  const json = parseJson(text)
  if (json) return <JsonView value={json.value} label="Answer" open={3} />
  const isCut = text.length > SHOWN && !isWhole
  return (
    <div className="relative">
      <pre
        tabIndex={0}
        role="group"
        aria-label="Answer"
        className="max-h-[60vh] overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2 pr-9 font-mono text-sm"
      >
        {isCut ? text.slice(0, SHOWN) : text}
      </pre>
      <div className="absolute right-1 top-1">
        <CopyButton text={text} label="Copy the answer" />
      </div>
      {isCut && (
        <Button size="small" onClick={() => setWhole(true)}>
          {`Show ${countText(text.length - SHOWN)} more characters`}
        </Button>
      )}
    </div>
  )
}
