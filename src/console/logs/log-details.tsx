import type { ReactNode } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { JsonView } from '../json/json-view.tsx'
import { DeclaredName } from '../ui/declared-name.tsx'
import type { NamedKind } from '../ui/declared-name.tsx'
import { Link } from '../router/link.tsx'
import { escapeHidden } from '../ui/escape-text.ts'
import { KeyValue } from '../ui/layout/key-value.tsx'
import { Section } from '../ui/layout/side-panel.tsx'
import { ErrorView } from '../ui/state/error-view.tsx'
import { exactTime } from '../ui/time/format-time.ts'
import { loggedError } from './log-text.tsx'

export interface LogDetailsProps {
  readonly record: LogRecord
  /** Filters by span, trace or execution. */
  readonly narrow?: (name: 'spanId' | 'traceId' | 'executionId', value: string) => void
}

/** What a log record has: its message, links, the error with its stack, and attributes. */
export function LogDetails({ record, narrow }: LogDetailsProps) {
  const { message, timestamp, traceId, spanId, executionId, attributes } = record
  const { err, ...rest } = attributes
  const error = loggedError(err)
  const linked = (area: string, id: unknown, kind?: NamedKind): ReactNode =>
    typeof id === 'string' && (
      <Link to={`${area}/${encodeURIComponent(id)}`}>{kind ? <DeclaredName kind={kind} id={id} /> : id}</Link>
    )
  const filterButton = (name: 'spanId' | 'traceId' | 'executionId', id: string) =>
    narrow && (
      <button
        type="button"
        className="ml-2 text-sm text-accent hover:underline"
        onClick={() => narrow(name, id)}
      >
        filter by {NAMES[name]}
      </button>
    )
  return (
    <>
      <p className="max-h-96 overflow-auto whitespace-pre-wrap break-words font-mono text-sm" tabIndex={0}>
        {escapeHidden(message)}
      </p>
      <KeyValue
        rows={[
          ['Time', exactTime(timestamp)],
          [
            'Span',
            traceId !== null && spanId !== null && (
              <>
                <Link to={`traces/${traceId}?span=${spanId}`}>{spanId}</Link>
                {filterButton('spanId', spanId)}
              </>
            ),
          ],
          [
            'Request',
            traceId !== null && (
              <>
                <Link to={`traces/${traceId}`}>{traceId}</Link>
                {filterButton('traceId', traceId)}
              </>
            ),
          ],
          [
            'Run',
            executionId !== null && (
              <>
                {linked('executions', executionId)}
                {filterButton('executionId', executionId)}
              </>
            ),
          ],
          ['Workflow', linked('workflows', attributes['workflowId'], 'workflow')],
          ['Agent', linked('agents', attributes['agentId'], 'agent')],
        ]}
      />
      {error && (
        <Section title="Error">
          <ErrorView error={error} />
        </Section>
      )}
      <Section title="Attributes">
        <JsonView value={error ? rest : attributes} label="Attributes" open={3} />
      </Section>
    </>
  )
}

const NAMES = { spanId: 'span', traceId: 'request', executionId: 'run' } as const
