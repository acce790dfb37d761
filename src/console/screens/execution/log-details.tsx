import type { LogRecord } from '../../../contract/endpoints/log.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { exactTime } from '../../ui/time/format-time.ts'

/** Message, time and attributes of a log record. */
export function LogDetails({ log }: { readonly log: LogRecord }) {
  const { message, timestamp, traceId, spanId, attributes } = log
  return (
    <>
      <p className="whitespace-pre-wrap break-words font-mono text-sm">{escapeHidden(message)}</p>
      <KeyValue
        rows={[
          ['Time', exactTime(timestamp)],
          [
            'Span',
            traceId !== null && spanId !== null && (
              <Link to={`traces/${traceId}?span=${spanId}`}>{spanId}</Link>
            ),
          ],
        ]}
      />
      <JsonView value={attributes} label="Attributes" open={3} />
    </>
  )
}
