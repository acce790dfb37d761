import { useMemo } from 'react'
import { useKeys } from '../../keys/use-keys.ts'
import { ThisMachineOnly } from '../../live/this-machine-only.tsx'
import { NO_LOG_FILTERS } from '../../logs/log-filters.ts'
import { LogViewer } from '../../logs/log-viewer.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { useTraceSpans } from '../../trace/use-trace-spans.ts'
import { copyText } from '../../ui/controls/button.tsx'
import { oneLine } from '../../ui/escape-text.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { ErrorState } from '../../ui/state/error-view.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { countText, durationText } from '../../ui/time/format-time.ts'
import { useTick } from '../../ui/time/use-now.ts'
import { spanTree } from './span-tree.ts'
import { detailsOf } from './trace-details.ts'
import { TraceRunTab } from './trace-run-tab.tsx'

/** Interval at which the bars of running spans grow; longer for long traces, where each redraw is expensive. */
const TICK_MS = 250
const LONG_TICK_MS = 1000
const LONG = 5000

/** One trace: its spans over time and its log records. */
export function TraceScreen({ params: { id = '' } }: ScreenProps) {
  const { router, toasts } = useServices()
  const { spans, total, isLoading, error, refetch } = useTraceSpans(id)
  const placed = useMemo(() => spans && spanTree(spans), [spans])
  const isRunning = spans?.some(({ status }) => status === 'running') ?? false
  const now = useTick(isRunning ? ((spans?.length ?? 0) > LONG ? LONG_TICK_MS : TICK_MS) : undefined)
  const details = useMemo(() => placed && detailsOf(placed, now), [placed, now])
  useKeys([
    { keys: 'y', label: 'Copy link', group: 'Request', run: () => void copyText(location.href, toasts) },
    {
      keys: 'l',
      label: 'Request logs',
      group: 'Request',
      run: () => void router.navigate(`traces/${encodeURIComponent(id)}?tab=logs`),
    },
  ])
  return (
    <>
      <PageHeader
        title={oneLine(details?.name ?? 'Request', 300)}
        aside={
          <>
            {details ? (
              <>
                <StatusBadge status={details.status} />
                <span className="whitespace-nowrap text-dim">
                  {durationText(Math.max(0, details.end - details.start))}
                </span>
              </>
            ) : (
              <span className="min-w-0 truncate font-mono text-sm text-dim">{id}</span>
            )}
            <ThisMachineOnly />
            <span role="status" className="text-sm text-dim">
              {isLoading &&
                spans &&
                spans.length < total &&
                `${countText(spans.length)} of ${countText(total)} spans…`}
            </span>
          </>
        }
      />
      {!placed || !details ? (
        <Pending error={error} retry={refetch} />
      ) : (
        <>
          {error !== undefined && <ErrorState error={error} retry={refetch} />}
          <Tabs
            label="Request views"
            tabs={[
              {
                id: 'run',
                name: 'Run',
                render: () => (
                  <TraceRunTab placed={placed} details={details} spanCount={Math.max(total, placed.length)} />
                ),
              },
              { id: 'logs', name: 'Logs', render: () => <TraceLogs traceId={id} /> },
            ]}
          />
        </>
      )}
    </>
  )
}

const FILTERS = { level: '', q: '', spanId: '' }

const LOG_EXAMPLE = `execute: async ({ logger }) => logger.info('charging')`

/** The log records of a trace. */
function TraceLogs({ traceId }: { readonly traceId: string }) {
  const [filters, set] = useUrlState(FILTERS)
  const filtered = Object.values(filters).some((value) => value !== '')
  return (
    <LogViewer
      filters={{ ...NO_LOG_FILTERS, ...filters, traceId }}
      set={({ level = filters.level, q = filters.q, spanId = filters.spanId }) => set({ level, q, spanId })}
      empty={
        filtered ? (
          <EmptyState title="No log records match these filters" />
        ) : (
          <EmptyState title="No log records" code={LOG_EXAMPLE}>
            Log records of steps, tools and agents are stored with their spans:
          </EmptyState>
        )
      }
    />
  )
}
