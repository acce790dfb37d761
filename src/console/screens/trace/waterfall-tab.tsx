import { useDeferredValue, useMemo, useState, useRef } from 'react'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { FilterText } from '../../filters/filter-bar.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { useSettledState, useUrlState } from '../../router/use-url-state.ts'
import { Button } from '../../ui/controls/button.tsx'
import { oneLine } from '../../ui/escape-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { WithPanel } from '../../ui/layout/side-panel.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { StatusIcon, statusText } from '../../ui/state/status-badge.tsx'
import { countText, durationText } from '../../ui/time/format-time.ts'
import { Duration } from '../../ui/time/time.tsx'
import { FULL_VIEW, panView, zoomView } from '../../waterfall/ticks.ts'
import { timeScale } from '../../waterfall/time-scale.ts'
import type { TimeScale, Interval } from '../../waterfall/time-scale.ts'
import type { WaterfallRow } from '../../waterfall/waterfall-row.ts'
import { Waterfall } from '../../waterfall/waterfall.tsx'
import { categoryOf, SPAN_CATEGORIES } from './span-category.ts'
import type { SpanCategory } from './span-category.ts'
import { findSpans } from './span-search.ts'
import type { FoundSpans, SearchTexts, SpanFilter } from './span-search.ts'
import type { TreeSpan } from './span-tree.ts'
import type { TraceDetails } from './trace-details.ts'
import { SpanPanel } from './span-panel.tsx'

const LOOK = { q: '', kind: '', status: '', idle: 'collapsed' }
const NONE: ReadonlySet<string> = new Set()

export interface WaterfallTabProps {
  readonly placed: readonly TreeSpan[]
  readonly details: TraceDetails
}

/** The spans over time, and the details of the selected one. */
export function WaterfallTab({ placed, details }: WaterfallTabProps) {
  const [look, setLook] = useUrlState(LOOK)
  const { value: chosen, choose } = useSettledState('span')
  const [view, setView] = useState(FULL_VIEW)
  const [collapsed, setCollapsed] = useState(NONE)
  const { rows, scale, found, counts } = useWaterfall(placed, details, {
    q: look.q,
    category: look.kind,
    onlyErrors: look.status === 'error',
    collapse: look.idle === 'collapsed',
  })
  const byId = useMemo(() => new Map(placed.map((one) => [one.span.spanId, one])), [placed])
  // the details of a span may be slow to render: arrow keys do not wait for them
  const shown = byId.get(useDeferredValue(chosen))
  const collapseAll = () =>
    setCollapsed(new Set(rows.filter(({ isExpandable }) => isExpandable).map(({ key }) => key)))
  useKeys([{ keys: 'Escape', label: 'Close details', group: 'Trace', run: () => choose('') }])
  return (
    <>
      <search
        aria-label="Trace filters"
        className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-panel px-4 py-1"
      >
        <FilterText label="Search spans" first value={look.q} onChange={(q) => setLook({ q })} />
        <Check
          label="Only errors"
          checked={look.status === 'error'}
          set={(on) => setLook({ status: on ? 'error' : '' })}
        />
        <Check
          label="Collapse idle time"
          checked={look.idle === 'collapsed'}
          set={(on) => setLook({ idle: on ? 'collapsed' : 'shown' })}
        />
        <CategoryLegend counts={counts} only={look.kind} setOnly={(kind) => setLook({ kind })} />
        <span role="status" className="text-sm text-dim">
          {found && `${countText(found.matching.size)} of ${countText(placed.length)}`}
        </span>
        <span className="ml-auto flex items-center gap-1">
          <Button size="small" onClick={collapseAll}>
            Collapse all
          </Button>
          <Button size="small" disabled={collapsed.size === 0} onClick={() => setCollapsed(NONE)}>
            Expand all
          </Button>
          <Button
            size="small"
            onClick={() => setView(zoomView(view, 0.5))}
            title="Zoom in (Ctrl + mouse wheel)"
          >
            Zoom in
          </Button>
          <Button size="small" disabled={view === FULL_VIEW} onClick={() => setView(FULL_VIEW)}>
            Reset zoom
          </Button>
        </span>
      </search>
      <WithPanel
        panel={
          chosen !== '' &&
          shown && (
            <SpanPanel
              key={shown.span.spanId}
              span={shown.span}
              after={shown.start - details.start}
              parent={byId.get(shown.span.parentSpanId ?? '')?.span}
              choose={choose}
              close={() => choose('')}
            />
          )
        }
      >
        {rows.length === 0 ? (
          <EmptyState title="No spans match these filters" />
        ) : (
          <Waterfall
            label="Spans over time"
            rows={rows}
            scale={scale}
            view={view}
            chosen={chosen}
            choose={choose}
            collapsed={collapsed}
            setCollapsed={setCollapsed}
            zoom={(factor, around) => setView((old) => zoomView(old, factor, around))}
            shift={(by) => setView((old) => panView(old, by))}
          />
        )}
      </WithPanel>
    </>
  )
}

function Check({ label, checked, set }: { label: string; checked: boolean; set: (on: boolean) => void }) {
  return (
    <label className="flex min-h-6 items-center gap-1.5 text-sm">
      <input type="checkbox" checked={checked} onChange={(event) => set(event.target.checked)} />
      {label}
    </label>
  )
}

interface WaterfallLook extends SpanFilter {
  readonly collapse: boolean
}

interface SpanWaterfall {
  readonly rows: readonly WaterfallRow[]
  readonly scale: TimeScale
  readonly found: FoundSpans | undefined
  readonly counts: ReadonlyMap<SpanCategory, number>
}

/** The spans that match the filters, as rows of bars. */
function useWaterfall(
  placed: readonly TreeSpan[],
  { start, end }: Pick<TraceDetails, 'start' | 'end'>,
  { collapse, q, category, onlyErrors }: WaterfallLook,
): SpanWaterfall {
  const texts = useRef<SearchTexts>(new WeakMap<Span, string>())
  const found = useMemo(
    () => findSpans(placed, { q, category, onlyErrors }, texts.current),
    [placed, q, category, onlyErrors],
  )
  const rows = useMemo(() => spanRows(placed, { found, now: end }), [placed, found, end])
  const scale = useMemo(
    () => timeScale({ start, end }, collapse ? busyTimes(placed, end) : [], collapse),
    [placed, start, end, collapse],
  )
  const counts = useMemo(() => {
    const all = new Map<SpanCategory, number>()
    for (const { span } of placed) all.set(categoryOf(span), (all.get(categoryOf(span)) ?? 0) + 1)
    return all
  }, [placed])
  return { rows, scale, found, counts }
}

/** Kinds whose spans may only wait for their children. */
const AROUND: ReadonlySet<string> = new Set(['request', 'workflow', 'agent'])

/**
 * Intervals in which work was done: those of spans without children, and of kinds that work themselves. A request
 * around an execution, for example, may only wait.
 */
function busyTimes(placed: readonly TreeSpan[], now: number): Interval[] {
  return placed
    .filter(({ span, hasChildren }) => !hasChildren || !AROUND.has(categoryOf(span)))
    .map(({ start, end }) => ({ start, end: end ?? now }))
}

const FAILED = <StatusIcon status="error" />

const RUNNING = <StatusIcon status="running" />

const ORPHAN = (
  <span className="shrink-0 text-dim" title="The parent span is not in this trace">
    <Icon name="skipped" />
  </span>
)

/** Characters of a name that fit in a row. */
const MAX_NAME_LENGTH = 200

/** Spans as rows of a waterfall; running ones end at `now`. */
function spanRows(
  placed: readonly TreeSpan[],
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow[] {
  return (found?.shown ?? placed).map((one) => rowOf(one, { found, now }))
}

function rowOf(
  one: TreeSpan,
  { found, now }: { readonly found: FoundSpans | undefined; readonly now: number },
): WaterfallRow {
  const { span, depth, hasChildren, start, end, isOrphan } = one
  const { spanId, status, startTime, durationMs } = span
  const [sort, tone] = SPAN_CATEGORIES[categoryOf(span)]
  const name = oneLine(span.name, MAX_NAME_LENGTH)
  const duration = durationMs === null ? 'running' : durationText(durationMs)
  return {
    key: spanId,
    name,
    depth,
    isExpandable: hasChildren,
    description: `${sort}, ${statusText(status)}${isOrphan ? ', the parent span is not in this trace' : ''}`,
    isFaint: found !== undefined && !found.matching.has(spanId),
    bars: [
      {
        start,
        end: end ?? Math.max(now, start),
        title: `${name}: ${duration}`,
        tone: status === 'error' ? `${tone} ${WITH_ERROR}` : status === 'running' ? `${tone} ${OPEN}` : tone,
      },
    ],
    icon: status === 'error' ? FAILED : status === 'running' ? RUNNING : undefined,
    note: isOrphan ? ORPHAN : undefined,
    aside: durationMs === null ? <Duration since={startTime} /> : duration,
  }
}

const WITH_ERROR = 'outline-2 -outline-offset-2 outline-error'

const OPEN = 'opacity-70'

interface CategoryLegendProps {
  /** Number of spans of each kind. */
  readonly counts: ReadonlyMap<SpanCategory, number>
  /** The only kind that is shown; empty for all. */
  readonly only: string
  readonly setOnly: (sort: string) => void
}

/** The legend of the colours; a click filters by kind. */
function CategoryLegend({ counts, only, setOnly }: CategoryLegendProps) {
  const sorts = Object.entries(SPAN_CATEGORIES) as [SpanCategory, readonly [string, string]][]
  return (
    <div role="group" aria-label="Span kinds" className="flex flex-wrap gap-x-1 text-sm">
      {sorts
        .filter(([sort]) => counts.has(sort) || sort === only)
        .map(([sort, [name, tone]]) => (
          <button
            key={sort}
            type="button"
            aria-pressed={only === sort}
            title="Show only spans of this kind"
            onClick={() => setOnly(only === sort ? '' : sort)}
            className="flex min-h-6 items-center gap-1 rounded-sm px-1.5 text-dim hover:bg-hover aria-pressed:bg-chosen aria-pressed:text-text"
          >
            <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${tone}`} />
            {name}
            <span>{counts.get(sort) ?? 0}</span>
          </button>
        ))}
    </div>
  )
}
