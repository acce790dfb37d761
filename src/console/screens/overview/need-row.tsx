import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { Link } from '../../router/link.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CloseButton } from '../../ui/controls/close-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusBadge, statusText } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'

/** One execution that needs the user. */
export function NeedRow({ record }: { readonly record: ExecutionRecord }) {
  const { id, workflowId, status, error, suspension, updatedAt } = record
  const to = `executions/${encodeURIComponent(id)}`
  const isSuspended = status === 'suspended'
  const text = isSuspended
    ? `${suspension?.stepId ?? ''}: ${suspension?.reason ?? ''}`
    : `${error?.name ?? 'Error'}: ${error?.message ?? ''}`
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1 sm:flex-nowrap">
      <span className="w-24 shrink-0">
        <StatusBadge status={status} />
      </span>
      <Link to={to} className="max-w-40 shrink-0 truncate text-accent hover:underline">
        {workflowId}
      </Link>
      <Link
        to={to}
        className={`min-w-0 flex-1 truncate hover:underline max-sm:order-last max-sm:basis-full ${isSuspended ? '' : 'text-error'}`}
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
    </li>
  )
}

/** Resumes a step without a resume schema directly; otherwise opens the execution with its form. */
function Resume({ record, to }: { readonly record: ExecutionRecord; readonly to: string }) {
  const { router, toasts } = useServices()
  const resume = useAction('resumeExecution')
  const event = record.events.findLast(({ type }) => type === 'workflow-suspended')
  const schema = event?.['resumeSchema']
  if (schema !== undefined && schema !== null)
    return (
      <Button size="small" kind="primary" onClick={() => void router.navigate(to)}>
        Respond
      </Button>
    )
  const send = () =>
    resume.mutate(
      { params: { id: record.workflowId, executionId: record.id }, body: {} },
      { onError: (failure) => toasts.error(errorMessage(failure)) },
    )
  return (
    <Button size="small" kind="primary" onClick={send} disabled={resume.isPending}>
      Resume
    </Button>
  )
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
