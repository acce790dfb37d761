import { useEffect, useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import { useServices } from '../../services/services-context.tsx'
import { useLocation } from '../../router/use-location.ts'
import { LazyChunk, useLazyCode } from '../../router/lazy-chunk.ts'
import type { ScreenProps } from '../../router/route.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { ExecutionStatusBadge } from '../../executions/execution-status.tsx'
import { usePins } from '../../pins/pinned-bar.tsx'
import { useExecution } from '../../execution/use-execution.ts'
import { statusText } from '../../ui/state/status-badge.tsx'
import { durationBetween } from '../../ui/time/format-time.ts'
import { Duration } from '../../ui/time/time.tsx'
import { Pending } from '../../ui/state/states.tsx'

/** The status of the execution: of a pinned one, whose last replay may have another, named as that of its own run. */
function RecordedStatus({ record }: { readonly record: ExecutionDetail }) {
  const isPinned = usePins().pins.some(({ executionId }) => executionId === record.id)
  if (!isPinned) return <ExecutionStatusBadge record={record} />
  return <span className="whitespace-nowrap text-dim">first run {statusText(record.status)}</span>
}

/** Status, duration and cost of the execution. */
function Facts({ record }: { readonly record: ExecutionDetail }) {
  const { status, createdAt, endedAt, suspension, usage } = record
  return (
    <>
      <RecordedStatus record={record} />
      <span className="whitespace-nowrap text-dim">
        {status === 'suspended' && suspension ? (
          <Duration since={suspension.suspendedAt} />
        ) : (
          <Duration ms={durationBetween(createdAt, endedAt)} since={createdAt} />
        )}
      </span>
      {usage && usage.costUsd !== null && (
        <span className="whitespace-nowrap text-dim max-sm:hidden">{formatCost(usage.costUsd)}</span>
      )}
    </>
  )
}

const CODE = new LazyChunk(() => import('./execution-view.tsx'))

/** One execution of a workflow, updated live. */
export function ExecutionScreen({ params }: ScreenProps) {
  const id = params['id'] ?? ''
  return <Followed key={id} id={id} />
}

function Followed({ id }: { readonly id: string }) {
  const { router } = useServices()
  const live = useExecution(id)
  const { code, error: loadError } = useLazyCode(CODE)
  const [replayed, setReplayed] = useState<{ readonly stepId: string | undefined }>()
  const { record } = live
  // the search links to the dialog
  const isAsked = useLocation().search.has('replay')
  const isReady = record !== undefined && code !== undefined
  useEffect(() => {
    if (!isAsked || !isReady) return
    router.setSearch({ replay: undefined })
    setReplayed({ stepId: undefined })
  }, [router, isAsked, isReady])
  const error = live.record ? loadError : live.error
  return (
    <>
      <PageHeader
        title={record?.workflowName ?? 'Run'}
        aside={
          record ? (
            <Facts record={record} />
          ) : (
            <span className="break-all font-mono text-sm text-dim">{id}</span>
          )
        }
        {...(record &&
          code && {
            actions: (
              <code.ExecutionActions
                record={record}
                live={live}
                replay={(stepId) => setReplayed({ stepId })}
                compare={() => router.setSearch({ tab: undefined, view: 'compare' }, { replace: false })}
              />
            ),
          })}
      />
      {record && code ? (
        <code.ExecutionView record={record} live={live} replay={(stepId) => setReplayed({ stepId })} />
      ) : (
        <Pending error={error} retry={live.record ? () => location.reload() : live.refetch} />
      )}
      {record && code && replayed && (
        <code.ReplayDialog record={record} stepId={replayed.stepId} close={() => setReplayed(undefined)} />
      )}
    </>
  )
}
