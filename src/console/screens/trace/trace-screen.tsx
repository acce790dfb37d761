import { useMemo } from 'react'
import { useServices } from '../../services/services-context.tsx'
import { ThisMachineOnly } from '../../live/this-machine-only.tsx'
import type { ScreenProps } from '../../router/route.ts'
import { useKeys } from '../../keys/use-keys.ts'
import { copyText } from '../../ui/controls/copy-text.ts'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { oneLine } from '../../ui/escape-hidden.ts'
import { useTick } from '../../ui/time/use-tick.ts'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { spanTree } from './data/span-tree.ts'
import { factsOf } from './data/trace-facts.ts'
import { useTraceSpans } from '../../trace/use-trace-spans.ts'
import { TraceLogs } from './trace-logs.tsx'
import { TraceFactsBar } from './trace-facts-bar.tsx'
import { WaterfallTab } from './waterfall-tab.tsx'

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
  const facts = useMemo(() => placed && factsOf(placed, now), [placed, now])
  useKeys([
    { keys: 'y', label: 'Copy link', group: 'Trace', run: () => void copyText(location.href, toasts) },
    {
      keys: 'l',
      label: 'Trace logs',
      group: 'Trace',
      run: () => void router.navigate(`traces/${encodeURIComponent(id)}?tab=logs`),
    },
  ])
  return (
    <>
      <PageHeader
        title={oneLine(facts?.name ?? 'Trace', 300)}
        aside={
          <>
            {facts && <StatusBadge status={facts.status} />}
            <span className="flex min-w-0 items-center gap-1 font-mono text-sm text-dim">
              <span className="truncate">{id}</span>
              <CopyButton text={id} label="Copy trace id" />
            </span>
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
      {!placed || !facts ? (
        <Pending error={error} retry={refetch} />
      ) : (
        <>
          {error !== undefined && <ErrorState error={error} retry={refetch} />}
          <TraceFactsBar facts={facts} spans={Math.max(total, placed.length)} />
          <Tabs
            label="Trace views"
            tabs={[
              {
                id: 'waterfall',
                name: 'Waterfall',
                render: () => <WaterfallTab placed={placed} facts={facts} />,
              },
              { id: 'logs', name: 'Logs', render: () => <TraceLogs traceId={id} /> },
            ]}
          />
        </>
      )}
    </>
  )
}
