import { memo, useState } from 'react'
import { JsonView } from '../../json/json-view.tsx'
import { parseJson } from '../../json/parse-json.ts'
import { countText, durationText } from '../../ui/time/format-time.ts'
import { Icon } from '../../ui/icon.tsx'
import { useStickToEnd } from '../../ui/table/use-stick-to-end.ts'
import type { ReceivedEvent } from './use-exchange.ts'

export interface EventListProps {
  /** The newest events. */
  readonly events: readonly ReceivedEvent[]
  readonly count: number
  readonly isOpen: boolean
}

/** The events of a stream. The list follows new ones until the user scrolls up. */
export function EventList({ events, count, isOpen }: EventListProps) {
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
