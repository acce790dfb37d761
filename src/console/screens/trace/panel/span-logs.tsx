import { useEndpoint } from '../../../api/use-endpoint.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { Link } from '../../../router/link.tsx'
import { errorMessage } from '../../../api/request-failure.ts'
import { Section } from '../../../ui/layout/side-panel.tsx'
import { oneLine } from '../../../ui/escape-hidden.ts'
import { LogLevelMark } from '../../../ui/state/log-level-mark.tsx'
import { exactTime } from '../../../ui/time/format-time.ts'

const SHOWN = '50'

/** The log records of a span, oldest first. */
export function SpanLogs({ span: { spanId, traceId } }: { readonly span: Span }) {
  const { data, error } = useEndpoint('listSpanLogs', { params: { spanId }, query: { limit: SHOWN } })
  if (data?.length === 0) return null
  return (
    <Section title="Logs">
      {error && <p className="text-error">{errorMessage(error)}</p>}
      <ol className="flex flex-col gap-0.5">
        {data?.toReversed().map(({ id, level, message, timestamp }) => (
          <li key={id} className="flex gap-2">
            <span className="w-10 shrink-0">
              <LogLevelMark level={level} />
            </span>
            <Link
              to={`logs?traceId=${traceId}&spanId=${spanId}&log=${id}`}
              title={exactTime(timestamp)}
              className="min-w-0 break-words font-mono text-sm hover:underline"
            >
              {message === '' ? '(no message)' : oneLine(message, 500)}
            </Link>
          </li>
        ))}
      </ol>
      {data?.length === Number(SHOWN) && (
        <Link to={`logs?traceId=${traceId}&spanId=${spanId}`}>All logs of this span</Link>
      )}
    </Section>
  )
}
