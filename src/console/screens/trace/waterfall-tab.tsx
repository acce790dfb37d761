import { useDeferredValue, useMemo, useState } from 'react'
import { useSettledState } from '../../router/use-settled-state.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useKeys } from '../../keys/use-keys.ts'
import { Button } from '../../ui/controls/button.tsx'
import { FilterText } from '../../filters/filter-bar.tsx'
import { countText } from '../../ui/time/format-time.ts'
import { EmptyState } from '../../ui/state/states.tsx'
import { WithPanel } from '../../ui/layout/with-panel.tsx'
import { FULL_VIEW, panView, zoomView } from '../../waterfall/ticks.ts'
import { Waterfall } from '../../waterfall/waterfall.tsx'
import type { TreeSpan } from './data/span-tree.ts'
import type { TraceFacts } from './data/trace-facts.ts'
import { SpanPanel } from './panel/span-panel.tsx'
import { CategoryLegend } from './category-legend.tsx'
import { useWaterfall } from './use-waterfall.ts'

const LOOK = { q: '', kind: '', status: '', idle: 'collapsed' }
const NONE: ReadonlySet<string> = new Set()

export interface WaterfallTabProps {
  readonly placed: readonly TreeSpan[]
  readonly facts: TraceFacts
}

/** The spans over time, and the details of the selected one. */
export function WaterfallTab({ placed, facts }: WaterfallTabProps) {
  const [look, setLook] = useUrlState(LOOK)
  const { value: chosen, choose } = useSettledState('span')
  const [view, setView] = useState(FULL_VIEW)
  const [collapsed, setCollapsed] = useState(NONE)
  const { rows, scale, found, counts } = useWaterfall(placed, facts, {
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
              after={shown.start - facts.start}
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
