import { useEffect, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { approvalTitle } from '../../approvals/approval-title.ts'
import { workflowNameOf } from '../../executions/workflow-name.ts'
import { failurePlace, failureText } from '../../failures/failure-text.tsx'
import { isUnseen } from '../../live/seen-failures.ts'
import { Link } from '../../router/link.tsx'
import { useServices } from '../../services/services-context.tsx'
import { DeclaredName } from '../../ui/declared-name.tsx'
import { oneLine } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { useUsage } from '../../usage/use-usage.ts'
import { useApprovals, useNeeded } from '../inbox/use-needed.ts'

const MAX_SHOWN = 4
const WAITING = { query: { needsInput: 'true', limit: '20' } } as const
const FAILED = { query: { open: 'true', limit: '20' } } as const
const MAX_REASON_CHARS = 120

interface NeedsYouProps {
  readonly needed: number
  readonly usage: DataOf<'getActivity'>
}

/** What waits for the user: how many decisions and failures, and the newest of them. */
export function NeedsYou({ needed, usage: { needsYou } }: NeedsYouProps) {
  const undecided = needsYou.suspended + needsYou.approvals
  const failed = needed - undecided
  return (
    <TitledSection
      title={needed > 0 ? `Needs you (${countText(needed)})` : 'Needs you'}
      aside={
        <Link to="inbox" className="text-sm text-accent hover:underline">
          Inbox
        </Link>
      }
    >
      {needed === 0 ? (
        <p className="py-2 text-dim">
          <Icon name="ok" className="mr-1.5 inline text-ok" />
          Nothing needs your attention
        </p>
      ) : (
        <p className="flex flex-wrap gap-x-6 gap-y-1 py-2">
          {undecided > 0 && (
            <Link to="inbox" className="text-suspended hover:underline">
              <Icon name="suspended" className="mr-1.5 inline" />
              {countText(undecided)} to decide
            </Link>
          )}
          {failed > 0 && (
            <Link to="inbox?tab=failed" className="text-error hover:underline">
              <Icon name="error" className="mr-1.5 inline" />
              {countText(failed)} failed
            </Link>
          )}
        </p>
      )}
      {undecided > 0 && <Decisions />}
      {failed > 0 && <Failures />}
    </TitledSection>
  )
}

/** Executions and answers that wait for a person: of the newest executions and the oldest approvals that were read, the latest. */
function Decisions() {
  const { data: suspended = [] } = useNeeded(WAITING)
  const { data: approvals = [] } = useApprovals()
  const items = [...suspended.map(executionItem), ...approvals.map(approvalItem)]
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, MAX_SHOWN)
  return (
    <ul aria-label="To decide" className="flex flex-col">
      {items.map(({ id, ...item }) => (
        <Item key={id} to={`inbox?item=${encodeURIComponent(id)}`} {...item} />
      ))}
    </ul>
  )
}

interface Decision extends Omit<ItemProps, 'to'> {
  readonly id: string
}

function executionItem(record: ExecutionRecord): Decision {
  const { id, createdAt, suspension } = record
  const detail = suspension ? oneLine(`${suspension.stepId}: ${suspension.reason}`, MAX_REASON_CHARS) : ''
  return { id, title: workflowNameOf(record), detail, at: suspension?.suspendedAt ?? createdAt }
}

function approvalItem(approval: ListedApproval): Decision {
  const { approvalId: id, runAgentId, createdAt: at } = approval
  const detail = oneLine(approvalTitle(approval), MAX_REASON_CHARS)
  return { id, title: <DeclaredName kind="agent" id={runAgentId} />, detail, at }
}

/** The newest open failures that were not dismissed. */
function Failures() {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const { usage } = useUsage()
  const { data = [], refetch } = useEndpoint('listFailures', FAILED, { keep: true })
  useEffect(() => void refetch(), [usage, refetch])
  const shown = data.filter(({ id, lastAt }) => isUnseen(seen, id, Date.parse(lastAt))).slice(0, MAX_SHOWN)
  return (
    <ul aria-label="Failed" className="flex flex-col">
      {shown.map((failure) => (
        <Item
          key={failure.id}
          to={`executions/${encodeURIComponent(failure.lastExecutionId)}`}
          title={failurePlace(failure)}
          detail={failureText(failure)}
          at={failure.lastAt}
          failed
        />
      ))}
    </ul>
  )
}

interface ItemProps {
  readonly to: string
  readonly title: ReactNode
  readonly detail: string
  readonly at: string
  readonly failed?: boolean
}

function Item({ to, title, detail, at, failed = false }: ItemProps) {
  return (
    <li className="relative border-t border-line py-1.5 hover:bg-hover">
      <span className="flex items-baseline gap-2">
        {/* the link covers the item */}
        <Link to={to} className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0">
          <bdi>{title}</bdi>
        </Link>
        <span className="shrink-0 text-sm text-dim">
          <Time at={at} />
        </span>
      </span>
      <span className={`line-clamp-2 text-sm [overflow-wrap:anywhere] ${failed ? 'text-error' : 'text-dim'}`}>
        <bdi>{detail}</bdi>
      </span>
    </li>
  )
}
