import type { StepRecord } from '../../../contract/endpoints/execution.ts'
import { STEP_KINDS, StepKindIcon } from '../../graph/step-kind.tsx'
import type { FlatStep } from '../../graph/step-tree.ts'
import { JsonView } from '../../json/json-view.tsx'
import { Link } from '../../router/link.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { ErrorView } from '../../ui/state/error-view.tsx'
import { CloseButton } from '../../ui/controls/button.tsx'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { Section } from '../../ui/layout/side-panel.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration } from '../../ui/time/time.tsx'
import type { StepDescription } from '../../../contract/endpoints/workflow.ts'
import { durationText } from '../../ui/time/format-time.ts'

/** The retry options, such as `3, first after 1.00 s, ×2, maximum 30.00 s`; options without effect are omitted. */
export function retriesText({ retries }: StepDescription): string | undefined {
  if (!retries) return undefined
  const { limit, delayMs, factor, maxDelayMs, jitter } = retries
  const parts = [
    `${limit}, first after ${durationText(Math.min(delayMs, maxDelayMs))}`,
    limit > 1 && factor !== 1 && `×${factor}`,
    delayMs * factor ** (limit - 1) > maxDelayMs && `maximum ${durationText(maxDelayMs)}`,
    jitter > 0 && `${Math.round(jitter * 100)} % random`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

export function timeoutText({ timeoutMs }: StepDescription): string | undefined {
  return timeoutMs === undefined ? undefined : durationText(timeoutMs)
}

interface StepDetailsProps {
  readonly placed: FlatStep
  /** The record of the step in the followed execution. */
  readonly record: StepRecord | undefined
  readonly close: () => void
}

/** The details of the selected step. */
export function StepDetails({ placed, record, close }: StepDetailsProps) {
  const { step, path } = placed
  const { name, type, purpose, agentId, workflowId } = step
  useKeys([{ keys: 'Escape', label: 'Close details', group: 'Workflow', run: close }])
  return (
    <section
      aria-label={`Step ${name}`}
      tabIndex={0}
      className="h-2/5 shrink-0 overflow-auto border-t border-line outline-offset-[-2px]"
    >
      <div className="sticky top-0 z-1 flex items-center gap-2 border-b border-line bg-panel py-1 pl-4 pr-2">
        <StepKindIcon type={type} />
        <h2 className="min-w-0 truncate font-semibold" title={name}>
          <bdi>{name}</bdi>
        </h2>
        {record && <StatusBadge status={record.status} />}
        <span className="ml-auto">
          <CloseButton label="Close details" onClick={close} />
        </span>
      </div>
      <div className="flex flex-col gap-3 px-4 py-2">
        <KeyValue
          rows={[
            [
              'Purpose',
              purpose !== '' && (
                <span className="line-clamp-4" title={purpose}>
                  {purpose}
                </span>
              ),
            ],
            [
              'Type',
              <>
                {type}: {STEP_KINDS[type].description}
              </>,
            ],
            ['Path', <span className="break-all font-mono text-sm">{path}</span>],
            ['Agent', agentId && <Link to={`agents/${encodeURIComponent(agentId)}`}>{agentId}</Link>],
            [
              'Workflow',
              workflowId && <Link to={`workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</Link>,
            ],
            ['Retries', retriesText(step)],
            ['Timeout', timeoutText(step)],
            ['Compensation', step.hasCompensation && 'called when the run fails, times out or is cancelled'],
            ['Attempts', record && String(record.attempts)],
            ['Duration', record && <Duration ms={record.durationMs} since={record.startTime} />],
            [
              'Child run',
              record?.childExecutionId && (
                <Link to={`executions/${encodeURIComponent(record.childExecutionId)}`}>
                  {record.childExecutionId}
                </Link>
              ),
            ],
          ]}
        />
        {record?.error && (
          <Section title="Error">
            <ErrorView error={record.error} />
          </Section>
        )}
        {record && (
          <div className="grid gap-3 xl:grid-cols-2">
            <Section title="Input">
              <JsonView value={record.input} label={`Input of ${name}`} open={1} />
            </Section>
            {record.output !== undefined && (
              <Section title="Output">
                <JsonView value={record.output} label={`Output of ${name}`} open={1} />
              </Section>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
