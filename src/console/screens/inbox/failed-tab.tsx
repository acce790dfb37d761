import { useRef, useSyncExternalStore } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { isUnseen } from '../../live/seen-failures.ts'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Button, CloseButton } from '../../ui/controls/button.tsx'
import { escapeHidden } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { statusText, StatusBadge } from '../../ui/state/status-badge.tsx'
import { useSteadyList } from '../../ui/table/use-steady-list.ts'
import { countText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { serverClock } from '../../ui/time/use-now.ts'
import { useUsage } from '../../usage/use-usage.ts'
import { useNeeded } from './use-needed.ts'

const FAILED = { query: { status: 'error', limit: '50' } } as const

/** The failures of the last 24 hours that nobody has dismissed in this browser. */
export function FailedTab() {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const { usage, needed } = useUsage()
  const { data, error, refetch } = useNeeded(FAILED)
  // the replays of pins are shown where they are pinned
  const failed = (data ?? []).filter(
    ({ id, endedAt = '', forkedFrom }) => !forkedFrom?.pinned && isUnseen(seen, id, Date.parse(endedAt)),
  )
  const frame = useRef<HTMLUListElement>(null)
  const rows = useSteadyList(frame, failed, { keyOf: ({ id }) => id, keeps: () => false })
  if (!data) return <Pending error={error} retry={refetch} />
  const more = usage ? needed - usage.needsYou.suspended - usage.needsYou.approvals - failed.length : 0
  return (
    <div className="flex flex-col gap-2 p-4">
      {failed.length > 1 && (
        <div>
          <Button size="small" onClick={() => seenFailures.dismissAll(serverClock.now())}>
            Dismiss all failures
          </Button>
        </div>
      )}
      <ul ref={frame} aria-label="Failed executions">
        {rows.map(({ item, isGone }) => (
          <FailedRow key={item.id} record={item} isGone={isGone} />
        ))}
      </ul>
      {rows.length === 0 && (
        <EmptyState title="No failures" code="npx agentserver list executions --status failed">
          Executions that failed in the last 24 hours are listed here. All of them, from the terminal:
        </EmptyState>
      )}
      {more > 0 && (
        <p className="text-sm">
          <Link to="executions?status=error">{countText(more)} more failed</Link>
        </p>
      )}
    </div>
  )
}

interface FailedRowProps {
  readonly record: ExecutionRecord
  /** Whether it is dismissed, and only keeps its place. */
  readonly isGone: boolean
}

function FailedRow({ record, isGone }: FailedRowProps) {
  const { id, workflowId, status, error, updatedAt } = record
  const to = `executions/${encodeURIComponent(id)}`
  const text = escapeHidden(`${error?.name ?? 'Error'}: ${error?.message ?? ''}`)
  return (
    <li
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 ${isGone ? 'opacity-60' : ''}`}
      inert={isGone}
      aria-hidden={isGone}
    >
      <span className="w-24 shrink-0">
        {isGone ? <StatusBadge status="ok" text="Dismissed" /> : <StatusBadge status={status} />}
      </span>
      <Link to={to} className="max-w-48 shrink-0 truncate text-accent hover:underline" title={workflowId}>
        {workflowNameOf(record)}
      </Link>
      <Link
        to={to}
        className="line-clamp-3 min-w-0 flex-1 text-error [overflow-wrap:anywhere] hover:underline max-sm:order-last max-sm:basis-full"
        title={text}
      >
        <bdi>{text}</bdi>
      </Link>
      <span className="shrink-0 text-sm text-dim max-sm:ml-auto">
        <Time at={updatedAt} />
      </span>
      <FailureActions record={record} />
    </li>
  )
}

function FailureActions({ record }: { readonly record: ExecutionRecord }) {
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
    <span className="flex shrink-0 items-center gap-1">
      {stepId !== undefined && stepId !== null && (
        <Button size="small" onClick={send} disabled={replay.isPending} title={`Replay from step ${stepId}`}>
          <Icon name="retry" /> Replay
        </Button>
      )}
      <CloseButton label="Dismiss" onClick={dismiss} />
    </span>
  )
}
