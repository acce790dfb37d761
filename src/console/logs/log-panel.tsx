import type { ReactNode } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { JsonView } from '../json/json-view.tsx'
import { DeclaredName } from '../ui/declared-name.tsx'
import type { NamedKind } from '../ui/declared-name.tsx'
import { Link } from '../router/link.tsx'
import { CopyButton } from '../ui/controls/button.tsx'
import { oneLine, escapeHidden } from '../ui/escape-text.ts'
import { KeyValue } from '../ui/layout/key-value.tsx'
import { Section, SidePanel } from '../ui/layout/side-panel.tsx'
import { ErrorView } from '../ui/state/error-view.tsx'
import { LogLevelMark } from '../ui/state/status-badge.tsx'
import { exactTime } from '../ui/time/format-time.ts'

export interface LogPanelProps {
  readonly record: LogRecord
  readonly close: () => void
  /** Filters by span, trace or execution. */
  readonly narrow?: (name: 'spanId' | 'traceId' | 'executionId', value: string) => void
}

/** The details of a log record. */
export function LogPanel({ record, close, narrow }: LogPanelProps) {
  const { level, message, timestamp, traceId, spanId, executionId, attributes } = record
  const { err, ...rest } = attributes
  const error = readLoggedError(err)
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
    <SidePanel
      title={message === '' ? 'Log record' : oneLine(message, 200)}
      close={close}
      aside={<LogLevelMark level={level} />}
      actions={<CopyButton text={() => JSON.stringify(record, null, 2)} label="Copy record as JSON" />}
    >
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
            'Trace',
            traceId !== null && (
              <>
                <Link to={`traces/${traceId}`}>{traceId}</Link>
                {filterButton('traceId', traceId)}
              </>
            ),
          ],
          [
            'Execution',
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
    </SidePanel>
  )
}

const NAMES = { spanId: 'span', traceId: 'trace', executionId: 'execution' } as const

/** Reads an error in the form of a logger: `{ type, message, stack, cause }`. */
function readLoggedError(value: unknown): ExecutionError | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, name, message, stack, cause } = value as Readonly<Record<string, unknown>>
  if (typeof message !== 'string') return undefined
  const inner = readLoggedError(cause)
  return {
    name: typeof type === 'string' ? type : typeof name === 'string' ? name : 'Error',
    message,
    ...(typeof stack === 'string' && { stack }),
    ...(inner && { cause: inner }),
  }
}
