import type { ExecutionDetail, StepRecord } from '../../../../contract/endpoints/execution.ts'
import type { Attempt } from '../../../../contract/fold-events.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { JsonView } from '../../../json/json-view.tsx'
import { Link } from '../../../router/link.tsx'
import { isUsual, usualText } from '../../../statistics/slowness.ts'
import type { UsualTimes } from '../../../statistics/use-usual-times.ts'
import { Conversations } from '../../../trace/conversations.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { KeyValue } from '../../../ui/layout/key-value.tsx'
import { SidePanel, Section } from '../../../ui/layout/side-panel.tsx'
import { ErrorView } from '../../../ui/state/error-view.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import { countText, exactTime, durationText } from '../../../ui/time/format-time.ts'
import { Duration } from '../../../ui/time/time.tsx'
import { ErrorCard } from '../error-card.tsx'

export interface StepPanelProps {
  readonly step: StepRecord
  readonly attempts: readonly Attempt[]
  readonly record: ExecutionDetail
  readonly usual: UsualTimes
  readonly close: () => void
  /** Undefined for a read-only execution, and for what is no declared step. */
  readonly replay: (() => void) | undefined
  /** The spans of the trace. */
  readonly spans: readonly Span[]
  /** Only messages until this time, in milliseconds since the epoch. */
  readonly until: number | undefined
}

/** The details of a step: times, attempts, error, input and output. */
export function StepPanel(props: StepPanelProps) {
  const { step, attempts, record, usual, close, replay, spans, until } = props
  const { stepId, name, path, type, status, childExecutionId, startTime, durationMs, error } = step
  const slowness = usual.slow.get(path)
  const times = usual.of(step)
  const here = `executions/${encodeURIComponent(record.id)}`
  return (
    <SidePanel
      title={name}
      close={close}
      aside={<StatusBadge status={status} />}
      actions={
        replay && (
          <Button size="small" onClick={replay} keys="r">
            Replay from here
          </Button>
        )
      }
    >
      {error &&
        (stepId === record.error?.stepId ? (
          <ErrorCard
            record={record}
            error={record.error}
            replay={undefined}
            isStored={replay !== undefined}
          />
        ) : (
          <Section title="Error">
            <ErrorView error={error} />
          </Section>
        ))}
      <KeyValue
        rows={[
          ['Path', <span className="break-all font-mono text-sm">{path}</span>],
          ['Kind', type],
          ['Started', exactTime(startTime)],
          [
            'Duration',
            status === 'running' ? (
              <Duration since={startTime} />
            ) : (
              durationMs !== null && (
                <>
                  <Duration ms={durationMs} />
                  {slowness !== undefined && (
                    <span className="pl-2 text-suspended">{slowness} slower than usual</span>
                  )}
                </>
              )
            ),
          ],
          [
            'Usual',
            isUsual(times) && (
              <Link to={`workflows/${encodeURIComponent(record.workflowId)}?tab=statistics`}>
                {usualText(times)} ({countText(times.timed)} runs in 7 days)
              </Link>
            ),
          ],
          [
            'Run',
            childExecutionId !== undefined && (
              <Link to={`executions/${encodeURIComponent(childExecutionId)}`}>{childExecutionId}</Link>
            ),
          ],
          [
            'Logs',
            replay && (
              <Link to={`${here}?tab=logs&q=${encodeURIComponent(stepId)}`}>Log records of {stepId}</Link>
            ),
          ],
          [
            'Definition',
            <Link
              to={`workflows/${encodeURIComponent(record.workflowId)}?tab=steps&step=${encodeURIComponent(stepId)}`}
            >
              {record.workflowId}
            </Link>,
          ],
        ]}
      />
      {attempts.length > 1 && (
        <Section title={`${attempts.length} attempts`}>
          <AttemptList attempts={attempts} />
        </Section>
      )}
      <Section title="Input">
        <JsonView value={step.input} label={`Input of ${name}`} />
      </Section>
      {'output' in step && (
        <Section title="Output">
          <JsonView value={step.output} label={`Output of ${name}`} />
        </Section>
      )}
      <Conversations spans={spans} of={{ step: path }} until={until} />
    </SidePanel>
  )
}

/** The attempts of a step, with status and duration. */
function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <ol className="flex flex-col gap-1">
      {attempts.map(({ number, start, end, status, error }) => (
        <li key={start} className="flex flex-wrap items-center gap-x-3">
          <span className="w-4 text-right text-dim">{number}</span>
          <StatusBadge status={status} />
          <span className="text-dim" title={exactTime(start)}>
            {end === undefined ? '' : durationText(end - start)}
          </span>
          {error && (
            <span className="min-w-0 break-words text-error">{`${error.name}: ${error.message}`}</span>
          )}
        </li>
      ))}
    </ol>
  )
}
