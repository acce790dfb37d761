import { useCallback, useState } from 'react'
import type { ReactNode } from 'react'
import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import type { DecidedCall } from '../../../contract/endpoints/agents/approvals.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { ApprovalPanel } from '../../approvals/approval-panel.tsx'
import { pendingCalls } from '../../../contract/pending-call.ts'
import { DecidedBy } from '../../approvals/decided-by.tsx'
import { CallTree } from '../trace/call-tree.tsx'
import { KeepCaseDialog } from '../evals/keep-case-dialog.tsx'
import { JsonView } from '../../json/json-view.tsx'
import { GrowingMarkdown } from '../../markdown/growing-markdown.tsx'
import { Link } from '../../router/link.tsx'
import { countText, exactTime } from '../../ui/time/format-time.ts'
import { Button, CloseButton } from '../../ui/controls/button.tsx'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration } from '../../ui/time/time.tsx'
import { usageText } from './chat/answer-details-line.tsx'
import type { Run } from './chat/session/chat-message.ts'

export interface RunDetailProps {
  readonly agentId: string
  readonly run: Run
  readonly close: () => void
}

/** The details of a run. */
export function RunDetail({ agentId, run, close }: RunDetailProps) {
  const { id, status, error, input, output, steps, usage, model, traceId, conversationId, userId } = run
  const { startTime, endTime, reason, decisions } = run
  const [keeping, setKeeping] = useState(false)
  const rootOf = useCallback(
    (spans: readonly Span[]) => spanOfRun(spans, agentId, startTime),
    [agentId, startTime],
  )
  const chat = `agents/${encodeURIComponent(agentId)}?conversation=${encodeURIComponent(conversationId ?? '')}`
  return (
    <section
      aria-label="Run"
      tabIndex={0}
      className="flex w-1/2 min-w-0 shrink-0 flex-col gap-4 overflow-auto border-l border-line p-4 outline-offset-[-2px] max-sm:max-h-[75%] max-sm:w-auto max-sm:border-l-0 max-sm:border-t"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">Run</h2>
        <StatusBadge status={status} />
        {run.trial && <TrialMark />}
        <span className="ml-auto flex items-center gap-2">
          {endTime !== null && (
            <Button size="small" onClick={() => setKeeping(true)}>
              Keep as case
            </Button>
          )}
          <CloseButton label="Close details" onClick={close} />
        </span>
      </div>
      {keeping && <KeepCaseDialog run={{ id: agentId, runId: id }} close={() => setKeeping(false)} />}
      {error !== undefined && (
        <p className="whitespace-pre-wrap break-words rounded-md bg-error-panel p-2 text-error">{error}</p>
      )}
      {reason !== undefined && (
        <p className="whitespace-pre-wrap break-words rounded-md bg-error-panel p-2 text-error">
          Blocked by a guardrail: {reason}
        </p>
      )}
      {pendingCalls(run)?.map((approval) => (
        <ApprovalPanel key={approval.approvalId} approval={approval} run={{ agentId, runId: id }} />
      ))}
      <KeyValue
        rows={[
          ['Id', <span className="break-all font-mono text-sm">{id}</span>],
          ['Model', model],
          ['Started', exactTime(startTime)],
          ['Duration', endTime !== null && <Duration ms={Date.parse(endTime) - Date.parse(startTime)} />],
          ['Usage', usage && usageText(usage)],
          ['User', userId],
          ['Conversation', conversationId !== null && <Link to={chat}>{conversationId}</Link>],
          [
            'Request',
            <Link
              to={`traces/${traceId}`}
              className="break-all font-mono text-sm text-accent hover:underline"
            >
              {traceId}
            </Link>,
          ],
        ]}
      />
      <Part name="Input">
        {typeof input === 'string' ? (
          <p className="whitespace-pre-wrap break-words">{input}</p>
        ) : (
          <JsonView value={input} label="Input" open={3} />
        )}
      </Part>
      <Part name="Output">
        {typeof output === 'string' ? (
          <GrowingMarkdown text={output} />
        ) : output === null ? (
          <p className="text-dim">none</p>
        ) : (
          <JsonView value={output} label="Output" open={3} />
        )}
      </Part>
      {decisions !== undefined && (
        <Part name="Decisions">
          <ul className="flex flex-col gap-1">
            {decisions.map((decision) => (
              <li key={decision.toolCallId} className="break-words">
                {decision.toolName}: {decidedText(decision)}{' '}
                <DecidedBy
                  by={decision.decidedBy}
                  as={decision.decidedAs}
                  over={decision.decidedOver}
                  at={decision.decidedAt}
                />
              </li>
            ))}
          </ul>
        </Part>
      )}
      <CallTree traceId={traceId} rootOf={rootOf} />
      <Steps steps={steps} />
    </section>
  )
}

/** The span of a run: a trace may have several runs of an agent. */
function spanOfRun(spans: readonly Span[], agentId: string, startTime: string): Span | undefined {
  const distance = (span: Span) => Math.abs(Date.parse(span.startTime) - Date.parse(startTime))
  const [nearest] = spans
    .filter(
      ({ attributes }) =>
        attributes[ATTRIBUTE.operation] === OPERATION.agent && attributes[ATTRIBUTE.agentId] === agentId,
    )
    .toSorted((one, other) => distance(one) - distance(other))
  return nearest
}

/** The steps as they are stored, with the contents that a trace in production leaves out. */
function Steps({ steps }: Pick<Run, 'steps'>) {
  return (
    <Part name={`Steps (${steps.length})`}>
      <ol className="flex flex-col gap-1">
        {steps.map((step, index) => (
          <li key={index}>
            <details className="rounded-md border border-line px-2 py-1">
              <summary>
                {`${index + 1}. ${step.finishReason}`}
                <span className="pl-3 text-sm text-dim">
                  {`${countText(step.usage.inputTokens)} in, ${countText(step.usage.outputTokens)} out`}
                  {step.usage.costUsd !== null && `, ${formatCost(step.usage.costUsd)}`}
                  {step.toolCalls.length > 0 &&
                    `, ${step.toolCalls.map(({ toolName }) => toolName).join(', ')}`}
                </span>
              </summary>
              <div className="pt-1">
                <JsonView value={step} label={`Step ${index + 1}`} open={3} />
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Part>
  )
}

/** Marks an answer that the prompt lab requested. */
export function TrialMark() {
  return (
    <span title="Prompt lab trial" className="mr-1.5 rounded-sm border border-line px-1 text-sm text-dim">
      trial
    </span>
  )
}

function decidedText({ kind, approved }: DecidedCall): string {
  if (kind === 'client-tool') return 'executed by'
  if (kind === 'elicitation') return approved === false ? 'declined by' : 'filled in by'
  return approved === false ? 'denied by' : 'approved by'
}

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="pb-1 text-sm text-dim">{name}</h3>
      {children}
    </div>
  )
}
