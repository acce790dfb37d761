import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { usePolling } from '../../api/use-polling.ts'
import { isUnseen } from '../../live/seen-failures.ts'
import { Link } from '../../router/link.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Icon } from '../../ui/icon.tsx'
import { statusText } from '../../ui/state/status-badge.tsx'
import { useSteadyList } from '../../ui/table/use-steady-list.ts'
import { ApprovalRow } from './approval-row.tsx'
import { NeedRow } from './need-row.tsx'
import { Section } from './section.tsx'
import { serverClock } from '../../ui/time/server-clock.ts'

const MAX_SHOWN = 5
const POLL_MS = 2000
const SUSPENDED = { query: { needsInput: 'true', limit: '20' } } as const
const FAILED = { query: { status: 'error', limit: '20' } } as const

export interface NeedsYouProps {
  readonly needed: number
  readonly activity: DataOf<'getActivity'>
}

/** The executions and agent runs that need the user, with their actions. */
export function NeedsYou({ needed, activity }: NeedsYouProps) {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const suspended = useNeeded(SUSPENDED, activity)
  const errors = useNeeded(FAILED, activity)
  const approvals = useApprovals(activity)
  const failed = errors.filter(
    // the replays of pins are shown where they are pinned
    ({ id, endedAt = '', forkedFrom }) => !forkedFrom?.pinned && isUnseen(seen, id, Date.parse(endedAt)),
  )
  const needs: Need[] = [...approvals, ...suspended.slice(0, MAX_SHOWN), ...failed.slice(0, MAX_SHOWN)]
  const frame = useRef<HTMLDivElement>(null)
  const rows = useSteadyList(frame, needs, keyOf)
  return (
    <Section
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
      <MoreApprovals count={activity.needsYou.approvals - approvals.length} />
      <More count={activity.needsYou.suspended - Math.min(MAX_SHOWN, suspended.length)} status="suspended" />
      <More
        count={
          needed -
          activity.needsYou.suspended -
          activity.needsYou.approvals -
          Math.min(MAX_SHOWN, failed.length)
        }
        status="error"
      />
    </Section>
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
 * Executions without those of a parent, which suspend and fail with it. Refetched when anything of `activity`
 * changes: where one ends and another begins to wait between two looks, the counts are the same.
 */
function useNeeded(
  call: typeof SUSPENDED | typeof FAILED,
  activity: DataOf<'getActivity'>,
): readonly ExecutionRecord[] {
  const { data = [], refetch } = useEndpoint('observeExecutions', call)
  useEffect(() => void refetch(), [activity, refetch])
  return data.filter(({ parentExecutionId }) => parentExecutionId === undefined)
}

/** The oldest pending approvals. Refetched with `activity`, and every two seconds: agent runs have no live topic. */
function useApprovals(activity: DataOf<'getActivity'>) {
  const { data = [], refetch } = useEndpoint('listApprovals', { query: { limit: String(MAX_SHOWN) } })
  useEffect(() => void refetch(), [activity, refetch])
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
