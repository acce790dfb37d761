import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { DecisionButtons } from '../../execution/decision-form.tsx'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { useResume } from '../../execution/use-resume.ts'
import { decisionOf } from '../../form/decision.ts'
import type { JsonSchema } from '../../form/json-schema.ts'
import { JsonView } from '../../json/json-view.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Link } from '../../router/link.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CloseButton } from '../../ui/controls/close-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusBadge, statusText } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'

export interface NeedRowProps {
  readonly record: ExecutionRecord
  /** Whether it needs the user no more, and only keeps its place: its actions do nothing. */
  readonly isGone: boolean
}

/** One execution that needs the user. */
export function NeedRow({ record, isGone }: NeedRowProps) {
  const { id, workflowId, status, error, suspension, updatedAt } = record
  const to = `executions/${encodeURIComponent(id)}`
  const isSuspended = status === 'suspended'
  const text = isSuspended
    ? `${suspension?.stepId ?? ''}: ${suspension?.reason ?? ''}`
    : `${error?.name ?? 'Error'}: ${error?.message ?? ''}`
  const data = isSuspended ? suspension?.data : undefined
  return (
    <li
      className={`border-b border-line py-1 ${isGone ? 'opacity-60' : ''}`}
      inert={isGone}
      aria-hidden={isGone}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 sm:flex-nowrap">
        <span className="w-24 shrink-0">
          {isGone ? (
            <StatusBadge status="ok" text={isSuspended ? 'Resumed' : 'Dismissed'} />
          ) : (
            <StatusBadge status={status} />
          )}
        </span>
        <Link
          to={to}
          className="max-w-40 shrink-0 truncate leading-6 text-accent hover:underline"
          title={workflowId}
        >
          {workflowNameOf(record)}
        </Link>
        <Link
          to={to}
          className={`min-w-0 flex-1 truncate leading-6 hover:underline max-sm:order-last max-sm:basis-full ${isSuspended ? '' : 'text-error'}`}
          title={text}
        >
          {text}
        </Link>
        <span className="shrink-0 text-sm text-dim">
          <Time at={suspension && isSuspended ? suspension.suspendedAt : updatedAt} />
        </span>
        <span className="flex shrink-0 items-center gap-1">
          {isSuspended ? <Resume record={record} to={to} /> : <Failed record={record} />}
        </span>
      </div>
      {data !== undefined && data !== null && (
        <div className="min-w-0 pb-1 sm:pl-27">
          <JsonView value={data} label={`Request data of ${workflowId}`} />
        </div>
      )}
    </li>
  )
}

/** Decides, or resumes a step without a resume schema, directly; otherwise opens the execution with its form. */
function Resume({ record, to }: { readonly record: ExecutionRecord; readonly to: string }) {
  const { router, queries } = useServices()
  const refetch = () => void queries.invalidateQueries({ queryKey: ['observeExecutions'] })
  const { resume, isSent, validationMessage } = useResume(record, refetch)
  const schema = resumeSchemaOf(record)
  const decision = schema && decisionOf(schema)
  if (schema && (decision === undefined || validationMessage !== undefined))
    return (
      <Button size="small" kind="primary" onClick={() => void router.navigate(to)}>
        Respond
      </Button>
    )
  if (decision !== undefined)
    return (
      <DecisionButtons
        size="small"
        disabled={isSent}
        decide={(approved) => resume({ resumeData: { [decision]: approved } })}
      />
    )
  return (
    <Button size="small" kind="primary" onClick={() => resume({})} disabled={isSent}>
      Resume
    </Button>
  )
}

function resumeSchemaOf({ events }: ExecutionRecord): JsonSchema | undefined {
  const event = events.findLast(({ type }) => type === 'workflow-suspended')
  return (event?.['resumeSchema'] as JsonSchema | null | undefined) ?? undefined
}

function Failed({ record }: { readonly record: ExecutionRecord }) {
  const { seenFailures, toasts } = useServices()
  const replay = useAction('replayExecution')
  const { id, workflowId, error, endedAt } = record
  const dismiss = () => seenFailures.dismiss(id, Date.parse(endedAt ?? record.updatedAt))
  const stepId = error?.stepId
  const send = () => {
    if (stepId === undefined || stepId === null) return
    replay.mutate(
      { params: { id: workflowId, executionId: id }, body: { stepId } },
      {
        onSuccess: ({ executionId, status }) => {
          dismiss()
          toasts.info(`Replay ${statusText(status)}`, {
            to: `executions/${encodeURIComponent(executionId)}`,
            text: 'Open',
          })
        },
        onError: (failure) => toasts.error(`The replay failed: ${errorMessage(failure)}`),
      },
    )
  }
  return (
    <>
      {stepId !== undefined && stepId !== null && (
        <Button size="small" onClick={send} disabled={replay.isPending} title={`Replay from step ${stepId}`}>
          <Icon name="retry" /> Replay
        </Button>
      )}
      <CloseButton label="Dismiss" onClick={dismiss} />
    </>
  )
}
