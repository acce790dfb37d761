import { useDeferredValue, useMemo, useRef } from 'react'
import { useSettledState, useUrlState } from '../../router/use-url-state.ts'
import { Panes } from '../../ui/layout/side-panel.tsx'
import type { SearchTexts } from '../../waterfall/tree-item.ts'
import { TREE_LOOK, TreePane } from '../../waterfall/tree-pane.tsx'
import { spanItem } from './span-items.tsx'
import type { TreeSpan } from './span-tree.ts'
import type { TraceDetails } from './trace-details.ts'
import { SpanPanel } from './span-panel.tsx'
import { TraceRunPane } from './trace-run-pane.tsx'

export interface TraceRunTabProps {
  readonly placed: readonly TreeSpan[]
  readonly details: TraceDetails
  /** Number of spans of the trace, loaded or not. */
  readonly spanCount: number
}

/** The spans over time, and beside them the run that they record, or the selected span. */
export function TraceRunTab({ placed, details, spanCount }: TraceRunTabProps) {
  const [look, setLook] = useUrlState(TREE_LOOK)
  const { value: chosen, choose } = useSettledState('span')
  const texts = useRef<SearchTexts>(new WeakMap())
  const items = useMemo(
    () => placed.map((one) => spanItem(one, { now: details.end, texts: texts.current })),
    [placed, details.end],
  )
  const spans = useMemo(() => placed.map(({ span }) => span), [placed])
  const byId = useMemo(() => new Map(placed.map((one) => [one.span.spanId, one])), [placed])
  // the details of a span may be slow to render: arrow keys do not wait for them
  const shown = byId.get(useDeferredValue(chosen))
  return (
    <Panes
      panel={
        chosen !== '' && shown ? (
          <SpanPanel
            key={shown.span.spanId}
            span={shown.span}
            spans={spans}
            after={shown.start - details.start}
            parent={byId.get(shown.span.parentSpanId ?? '')?.span}
            choose={choose}
            close={() => choose('')}
          />
        ) : (
          <TraceRunPane
            traceId={placed[0]?.span.traceId ?? ''}
            details={details}
            spanCount={spanCount}
            spans={spans}
          />
        )
      }
    >
      <TreePane
        label="Spans over time"
        noun="spans"
        items={items}
        range={details}
        chosen={chosen}
        choose={choose}
        look={look}
        setLook={setLook}
      />
    </Panes>
  )
}
