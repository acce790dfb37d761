import { useEffect, useRef, useSyncExternalStore, useState } from 'react'
import type { RefObject } from 'react'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useEndpoint, useAction, usePolling } from '../../api/use-endpoint.ts'
import { ApprovalPanel } from '../../approvals/approval-panel.tsx'
import { DecisionButtons } from '../../execution/decision-form.tsx'
import { useResume } from '../../execution/use-resume.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { decisionOf } from '../../form/decision.ts'
import type { JsonSchema } from '../../form/json-schema.ts'
import { JsonView } from '../../json/json-view.tsx'
import { shortJson } from '../../json/parse-json.ts'
import { isUnseen } from '../../live/seen-failures.ts'
import { DeclaredName } from '../../ui/declared-name.tsx'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Button, CloseButton } from '../../ui/controls/button.tsx'
import { useDiscard } from '../../ui/dialog/discard-question.tsx'
import { Icon } from '../../ui/icon.tsx'
import { statusText, StatusBadge } from '../../ui/state/status-badge.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { serverClock } from '../../ui/time/use-now.ts'
import { Time } from '../../ui/time/time.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import { useIsAt } from '../../ui/table/use-hold.ts'

/** An item at its place in a list. */
interface SteadyItem<Item> {
  readonly item: Item
  /** Whether it has left the list, and only keeps its place. */
  readonly isGone: boolean
}

/**
 * The items of a list whose actions remove them. While a person is at the element, nothing moves below the pointer:
 * items that leave keep their place, and new ones are added at the end.
 */
function useSteadyList<Item>(
  frame: RefObject<HTMLElement | null>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly SteadyItem<Item>[] {
  const [held, setHeld] = useState<readonly Item[]>()
  const isAt = useIsAt(frame)
  if (!isAt) {
    if (held) setHeld(undefined)
    return items.map((item) => ({ item, isGone: false }))
  }
  const known = new Set(held?.map(keyOf))
  const added = items.filter((item) => !known.has(keyOf(item)))
  const shown = [...(held ?? []), ...added]
  if (!held || added.length > 0) setHeld(shown)
  const current = new Map(items.map((item) => [keyOf(item), item]))
  return shown.map((item) => {
    const newest = current.get(keyOf(item))
    return { item: newest ?? item, isGone: newest === undefined }
  })
}

const MAX_SHOWN = 5
const POLL_MS = 2000
const SUSPENDED = { query: { needsInput: 'true', limit: '20' } } as const
const FAILED = { query: { status: 'error', limit: '20' } } as const

interface InboxProps {
  readonly needed: number
  readonly usage: DataOf<'getActivity'>
}

/** The executions and agent runs that need the user, with their actions. */
export function Inbox({ needed, usage }: InboxProps) {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const suspended = useNeeded(SUSPENDED, usage)
  const errors = useNeeded(FAILED, usage)
  const approvals = useApprovals(usage)
  const failed = errors.filter(
    // the replays of pins are shown where they are pinned
    ({ id, endedAt = '', forkedFrom }) => !forkedFrom?.pinned && isUnseen(seen, id, Date.parse(endedAt)),
  )
  const needs: Need[] = [...approvals, ...suspended.slice(0, MAX_SHOWN), ...failed.slice(0, MAX_SHOWN)]
  const frame = useRef<HTMLDivElement>(null)
  const rows = useSteadyList(frame, needs, keyOf)
  return (
    <TitledSection
      title={needed > 0 ? `Needs you (${countText(needed)})` : 'Needs you'}
      aside={
        failed.length > 1 && (
          <Button size="small" onClick={() => seenFailures.dismissAll(serverClock.now())}>
            Dismiss all failures
          </Button>
        )
      }
    >
      <div ref={frame}>
        {rows.length > 0 && (
          <ul>
            {rows.map(({ item, isGone }) =>
              'approvalId' in item ? (
                <ApprovalRow key={keyOf(item)} approval={item} isGone={isGone} />
              ) : (
                <NeedRow key={keyOf(item)} record={item} isGone={isGone} />
              ),
            )}
          </ul>
        )}
      </div>
      {needs.length === 0 && (
        <p className="py-2 text-dim">
          <Icon name="ok" className="mr-1.5 inline text-ok" />
          Nothing needs your attention
        </p>
      )}
      <MoreApprovals count={usage.needsYou.approvals - approvals.length} />
      <More count={usage.needsYou.suspended - Math.min(MAX_SHOWN, suspended.length)} status="suspended" />
      <More
        count={
          needed - usage.needsYou.suspended - usage.needsYou.approvals - Math.min(MAX_SHOWN, failed.length)
        }
        status="error"
      />
    </TitledSection>
  )
}

type Need = ListedApproval | ExecutionRecord

/** An execution or an answer that suspends again has another key: it waits for something else. */
function keyOf(need: Need): string {
  return 'approvalId' in need
    ? `${need.approvalId} ${need.createdAt}`
    : `${need.id} ${need.suspension?.suspendedAt ?? need.status}`
}

/**
 * Executions without those of a parent, which suspend and fail with it. Refetched when anything of `usage`
 * changes: where one ends and another begins to wait between two looks, the counts are the same.
 */
function useNeeded(
  call: typeof SUSPENDED | typeof FAILED,
  usage: DataOf<'getActivity'>,
): readonly ExecutionRecord[] {
  const { data = [], refetch } = useEndpoint('observeExecutions', call)
  useEffect(() => void refetch(), [usage, refetch])
  return data.filter(({ parentExecutionId }) => parentExecutionId === undefined)
}

/** The oldest pending approvals. Refetched with `usage`, and every two seconds: agent runs have no live topic. */
function useApprovals(usage: DataOf<'getActivity'>) {
  const { data = [], refetch } = useEndpoint('listApprovals', { query: { limit: String(MAX_SHOWN) } })
  useEffect(() => void refetch(), [usage, refetch])
  usePolling(refetch, POLL_MS)
  return data
}

function MoreApprovals({ count }: { readonly count: number }) {
  return count > 0 && <p className="pt-1 text-sm text-dim">{countText(count)} more approvals</p>
}

function More({ count, status }: { readonly count: number; readonly status: 'suspended' | 'error' }) {
  if (count <= 0) return null
  return (
    <p className="pt-1 text-sm">
      <Link to={`executions?status=${status}`}>
        {countText(count)} more {statusText(status)}
      </Link>
    </p>
  )
}

interface ApprovalRowProps {
  readonly approval: ListedApproval
  /** Whether it is decided, and only keeps its place: its actions do nothing. */
  readonly isGone: boolean
}

/** A tool call of an agent run that waits for a decision. */
function ApprovalRow({ approval, isGone }: ApprovalRowProps) {
  const [isOpen, setOpen] = useState(false)
  const [isEdited, setEdited] = useState(false)
  const { requestDiscard, question } = useDiscard(isEdited, () => setOpen(!isOpen))
  const { runAgentId: agentId, runId, toolName, kind, message, input, createdAt } = approval
  const text = kind === 'elicitation' ? `${toolName}: ${message ?? ''}` : `${toolName} ${shortJson(input)}`
  return (
    <li
      className={`border-b border-line py-1 ${isGone ? 'opacity-60' : ''}`}
      inert={isGone}
      aria-hidden={isGone}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        <span className="w-24 shrink-0">
          {isGone ? <StatusBadge status="ok" text="Decided" /> : <StatusBadge status="suspended" />}
        </span>
        <Link
          to={`agents/${encodeURIComponent(agentId)}?tab=history&run=${encodeURIComponent(runId)}`}
          className="max-w-40 shrink-0 truncate text-accent hover:underline"
        >
          <DeclaredName kind="agent" id={agentId} />
        </Link>
        <span className="min-w-24 flex-1 truncate" title={text}>
          {text}
        </span>
        <span className="shrink-0 text-sm text-dim">
          <Time at={createdAt} />
        </span>
        <Button size="small" kind={isOpen ? 'plain' : 'primary'} onClick={requestDiscard}>
          {isOpen ? 'Close' : 'Review'}
        </Button>
      </div>
      {isOpen && (
        <div className="py-1">
          <ApprovalPanel approval={approval} run={{ agentId, runId }} onEdited={setEdited} />
          {question}
        </div>
      )}
    </li>
  )
}

interface NeedRowProps {
  readonly record: ExecutionRecord
  /** Whether it needs the user no more, and only keeps its place: its actions do nothing. */
  readonly isGone: boolean
}

/** One execution that needs the user. */
function NeedRow({ record, isGone }: NeedRowProps) {
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
