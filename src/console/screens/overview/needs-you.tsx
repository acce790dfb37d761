import { useEffect, useSyncExternalStore } from 'react'
import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'
import type { DataOf } from '../../api/call.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { isUnseen } from '../../live/seen-failures.ts'
import { Link } from '../../router/link.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { Icon } from '../../ui/icon.tsx'
import { statusText } from '../../ui/state/status-badge.tsx'
import { NeedRow } from './need-row.tsx'
import { Section } from './section.tsx'

const MAX_SHOWN = 5
const SUSPENDED = { query: { needsInput: 'true', limit: '20' } } as const
const FAILED = { query: { status: 'error', limit: '20' } } as const

export interface NeedsYouProps {
  readonly needed: number
  readonly activity: DataOf<'getActivity'>
}

/** The executions that need the user, with their actions. */
export function NeedsYou({ needed, activity }: NeedsYouProps) {
  const { seenFailures } = useServices()
  const seen = useSyncExternalStore(seenFailures.subscribe, seenFailures.seen)
  const suspended = useNeeded(SUSPENDED, activity.needsYou.suspended)
  const errors = useNeeded(FAILED, activity.needsYou.failed)
  const failed = errors.filter(({ id, endedAt = '' }) => isUnseen(seen, id, Date.parse(endedAt)))
  return (
    <Section
      title={needed > 0 ? `Needs you (${countText(needed)})` : 'Needs you'}
      aside={
        failed.length > 1 && (
          <Button size="small" onClick={() => seenFailures.dismissAll(Date.now())}>
            Dismiss all failures
          </Button>
        )
      }
    >
      {suspended.length + failed.length === 0 ? (
        <p className="py-2 text-dim">
          <Icon name="ok" className="mr-1.5 inline text-ok" />
          Nothing needs your attention
        </p>
      ) : (
        <ul>
          {[suspended, failed].flatMap((list) =>
            list.slice(0, MAX_SHOWN).map((record) => <NeedRow key={record.id} record={record} />),
          )}
        </ul>
      )}
      <More count={activity.needsYou.suspended - Math.min(MAX_SHOWN, suspended.length)} status="suspended" />
      <More
        count={needed - activity.needsYou.suspended - Math.min(MAX_SHOWN, failed.length)}
        status="error"
      />
    </Section>
  )
}

/** Executions without those of a parent, which suspend and fail with it. Refetched when `count` changes. */
function useNeeded(call: typeof SUSPENDED | typeof FAILED, count: number): readonly ExecutionRecord[] {
  const { data = [], refetch } = useEndpoint('observeExecutions', call)
  useEffect(() => void refetch(), [count, refetch])
  return data.filter(({ parentExecutionId }) => parentExecutionId === undefined)
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
