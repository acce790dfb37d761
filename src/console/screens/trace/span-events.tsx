import { useState } from 'react'
import { ATTRIBUTE } from '../../../contract/attributes.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { JsonView } from '../../json/json-view.tsx'
import { shortJson } from '../../json/parse-json.ts'
import { Link } from '../../router/link.tsx'
import { oneLine, escapeHidden } from '../../ui/escape-text.ts'
import { ErrorView } from '../../ui/state/error-view.tsx'
import { durationText, exactTime, countText } from '../../ui/time/format-time.ts'

/** Number of events and links shown. */
const SHOWN = 100

/** The events of a span, oldest first. */
export function SpanEvents({ span }: { readonly span: Span }) {
  const start = Date.parse(span.startTime)
  return (
    <ol className="flex flex-col gap-2">
      {span.events.slice(0, SHOWN).map(({ name, time, attributes }, index) => (
        <li key={index}>
          <div className="flex gap-2">
            <span className="shrink-0 text-dim" title={exactTime(time)}>
              +{durationText(Math.max(0, Date.parse(time) - start))}
            </span>
            <span className="min-w-0 break-words">{oneLine(name, 300)}</span>
          </div>
          <AttributeList attributes={Object.entries(attributes)} />
        </li>
      ))}
      {span.events.length > SHOWN && <li className="text-dim">{span.events.length - SHOWN} more</li>}
    </ol>
  )
}

/** The links of a span to other spans. */
export function SpanLinks({ span }: { readonly span: Span }) {
  return (
    <ul className="flex flex-col gap-2">
      {span.links.slice(0, SHOWN).map(({ traceId, spanId, attributes }, index) => (
        <li key={index}>
          <Link
            to={`traces/${traceId}?span=${spanId}`}
            className="break-all font-mono text-sm text-accent hover:underline"
          >
            {shortJson(attributes[ATTRIBUTE.linkKind] ?? 'linked').replaceAll('_', ' ')} {spanId}
          </Link>
          <AttributeList attributes={Object.entries(attributes)} />
        </li>
      ))}
    </ul>
  )
}

export function AttributeList({ attributes }: { attributes: readonly (readonly [string, unknown])[] }) {
  return (
    <dl className="flex flex-col gap-0.5">
      {attributes.map(([name, value]) => (
        <div key={name} className="flex flex-wrap gap-x-2">
          <dt className="break-all text-dim">{oneLine(name, 300)}</dt>
          <dd className="min-w-0">
            <AttributeValue name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The error of a span: its last exception, else its status message. */
export function SpanError({ span }: { readonly span: Span }) {
  const attributes = span.events.findLast(({ name }) => name === 'exception')?.attributes
  const text = (name: string) => {
    const value = attributes?.[`exception.${name}`]
    return typeof value === 'string' ? value : undefined
  }
  const stack = text('stacktrace')
  const message = text('message') ?? span.statusMessage ?? 'No error message was recorded'
  const type = text('type') ?? span.attributes[ATTRIBUTE.errorType] ?? 'Error'
  return <ErrorView error={{ name: shortJson(type), message, ...(stack !== undefined && { stack }) }} />
}

const MAX_LENGTH = 500

/** The value of an attribute. Long texts are truncated, with a button for the rest. */
function AttributeValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const [isExpanded, setExpanded] = useState(false)
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value) || value.length > 5) return <JsonView value={value} label={name} open={1} />
    return <span className="break-all font-mono text-sm">{escapeHidden(value.map(String).join(', '))}</span>
  }
  const text = escapeHidden(String(value))
  const isTruncated = text.length > MAX_LENGTH && !isExpanded
  return (
    <span className="whitespace-pre-wrap break-all font-mono text-sm">
      {isTruncated ? text.slice(0, MAX_LENGTH) : text}
      {isTruncated && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setExpanded(true)}>
          {countText(text.length - MAX_LENGTH)} more characters
        </button>
      )}
    </span>
  )
}
