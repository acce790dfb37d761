import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Failure } from '../../../contract/endpoints/failures.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Strip } from '../../charts/strip.tsx'
import { FailingLine, failurePlace, failureText } from '../../failures/failure-text.tsx'
import { ReplayAllDialog } from '../../failures/replay-all-dialog.tsx'
import { isUnseen } from '../../live/seen-failures.ts'
import { Link } from '../../router/link.tsx'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button, CloseButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { useSteadyList } from '../../ui/table/use-steady-list.ts'
import { countText } from '../../ui/time/format-time.ts'
import { Time } from '../../ui/time/time.tsx'
import { serverClock } from '../../ui/time/use-now.ts'
import { useUsage } from '../../usage/use-usage.ts'
import { KeepCaseDialog } from '../evals/keep-case-dialog.tsx'

const LIMIT = '50'
const STATE = { resolved: '' }
const HOUR_MS = 3_600_000

/**
 * The failures of the last 24 hours that were not dismissed in this browser, one for all that fail in the same way: the open
 * ones, or all.
 */
export function FailedTab() {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const { usage } = useUsage()
  const [{ resolved }, set] = useUrlState(STATE)
  const query = { limit: LIMIT, ...(resolved === '' && { open: 'true' as const }) }
  const { data, error, refetch } = useEndpoint('listFailures', { query }, { keep: true })
  useEffect(() => void refetch(), [usage, refetch])
  const [replayed, setReplayed] = useState<Failure>()
  const failures = (data ?? []).filter(({ id, lastAt }) => isUnseen(seen, id, Date.parse(lastAt)))
  const frame = useRef<HTMLUListElement>(null)
  const rows = useSteadyList(frame, failures, { keyOf: ({ id }) => id, keeps: () => false })
  if (!data) return <Pending error={error} retry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-2 p-4">
      <div className="flex gap-2">
        <Button size="small" onClick={() => set({ resolved: resolved === '' ? 'shown' : '' })}>
          {resolved === '' ? 'Show resolved failures' : 'Hide resolved failures'}
        </Button>
        {failures.length > 1 && (
          <Button size="small" onClick={() => seenFailures.dismissAll(serverClock.now())}>
            Dismiss all failures
          </Button>
        )}
      </div>
      <ul ref={frame} aria-label="Failures">
        {rows.map(({ item, isGone }) => (
          <FailureRow
            key={item.id}
            failure={failures.find(({ id }) => id === item.id) ?? item}
            isGone={isGone}
            isDismissed={!isUnseen(seen, item.id, Date.parse(item.lastAt))}
            replay={() => setReplayed(item)}
          />
        ))}
      </ul>
      {rows.length === 0 && (
        <EmptyState title="No failures" code="npx agentserver failures --all">
          Failures of the last 24 hours are listed here, until a replay completes. All of them, from the
          terminal:
        </EmptyState>
      )}
      {data.length === Number(LIMIT) && <p className="text-sm text-dim">The newest {LIMIT} are listed.</p>}
      {replayed && <ReplayAllDialog failure={replayed} close={() => setReplayed(undefined)} />}
    </div>
  )
}

interface FailureRowProps {
  readonly failure: Failure
  /** Whether it is resolved or dismissed, and only keeps its place. */
  readonly isGone: boolean
  readonly isDismissed: boolean
  readonly replay: () => void
}

function FailureRow({ failure, isGone, isDismissed, replay }: FailureRowProps) {
  const { id, count, firstAt, lastAt, firstGeneration, lastExecutionId, open } = failure
  return (
    <li
      className={`grid grid-cols-[6rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 border-b border-line py-2 max-sm:grid-cols-1 ${isGone ? 'opacity-60' : ''}`}
      inert={isGone}
      aria-hidden={isGone}
    >
      <div className="w-24">
        {isGone || !open ? (
          <StatusBadge status="ok" text={isDismissed ? 'Dismissed' : 'Resolved'} />
        ) : (
          <Curve failure={failure} />
        )}
      </div>
      <div className="min-w-0">
        <Link
          to={`executions/${encodeURIComponent(lastExecutionId)}`}
          className="line-clamp-3 leading-6 text-error [overflow-wrap:anywhere] hover:underline"
        >
          <bdi>{failureText(failure)}</bdi>
        </Link>
        <p className="flex flex-wrap gap-x-3 text-sm leading-6 text-dim">
          <bdi>{failurePlace(failure)}</bdi>
          <FailingLine error={failure.error} />
          <Link
            to={`executions?failure=${encodeURIComponent(id)}`}
            className="min-w-6 text-accent hover:underline"
          >
            {countText(count)} ×
          </Link>
          {count > 1 && (
            <span>
              first <Time at={firstAt} />
              {firstGeneration !== null && `, with generation ${firstGeneration}`}
            </span>
          )}
          <span>
            last <Time at={lastAt} />
          </span>
        </p>
      </div>
      <FailureActions failure={failure} replay={replay} />
    </li>
  )
}

/** How often it occurred in each of the last 20 hours. */
function Curve({ failure: { hours } }: { readonly failure: Failure }) {
  const most = Math.max(1, ...hours)
  const start = Math.floor(serverClock.now() / HOUR_MS) - hours.length + 1
  return (
    <Strip
      label={`Failures in each of the last hours: ${hours.join(', ')}`}
      bars={hours.map((count, index) => ({
        id: String(start + index),
        height: count / most,
        tone: count > 0 ? 'fill-error' : 'fill-line',
        title: `${countText(count)} × at ${new Date((start + index) * HOUR_MS).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`,
      }))}
    />
  )
}

function FailureActions({ failure, replay }: Pick<FailureRowProps, 'failure' | 'replay'>) {
  const { seenFailures } = useServices()
  const [keeping, setKeeping] = useState(false)
  const { id, workflowId, lastAt, lastExecutionId, count, error } = failure
  return (
    <span className="flex shrink-0 items-center gap-1">
      {error.stepId !== undefined && (
        <Button size="small" onClick={replay}>
          <Icon name="retry" /> {count > 1 ? 'Replay all' : 'Replay'}
        </Button>
      )}
      <Button size="small" onClick={() => setKeeping(true)} title="Keep the newest run as a case of an eval">
        Keep as case
      </Button>
      <CloseButton label="Dismiss" onClick={() => seenFailures.dismiss(id, Date.parse(lastAt))} />
      {keeping && (
        <KeepCaseDialog
          run={{ id: workflowId, executionId: lastExecutionId }}
          close={() => setKeeping(false)}
        />
      )}
    </span>
  )
}
