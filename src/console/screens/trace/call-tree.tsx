import { useMemo, useRef, useState } from 'react'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { useTraceSpans } from '../../trace/use-trace-spans.ts'
import { useTick } from '../../ui/time/use-now.ts'
import type { SearchTexts } from '../../waterfall/tree-item.ts'
import { TREE_LOOK, TreePane } from '../../waterfall/tree-pane.tsx'
import type { TreeLook } from '../../waterfall/tree-pane.tsx'
import { spanItem } from './span-items.tsx'
import { SpanPanel } from './span-panel.tsx'
import { spansByParent, spanTree } from './span-tree.ts'

export interface CallTreeProps {
  readonly traceId: string
  /** The span whose calls are shown. */
  readonly rootOf: (spans: readonly Span[]) => Span | undefined
}

/** The calls within a span of a trace as a tree over time, and below it the one that is selected; nothing without a trace. */
export function CallTree({ traceId, rootOf }: CallTreeProps) {
  const { spans = NONE } = useTraceSpans(traceId, { mayBeGone: true })
  const placed = useMemo(() => spanTree(withinRoot(spans, rootOf(spans))), [spans, rootOf])
  const isRunning = placed.some(({ end }) => end === undefined)
  const now = useTick(isRunning ? TICK_MS : undefined)
  const [look, setLook] = useState<TreeLook>(TREE_LOOK)
  const [chosen, choose] = useState('')
  const texts = useRef<SearchTexts>(new WeakMap())
  const items = useMemo(
    () => placed.map((one) => spanItem({ ...one, isOrphan: false }, { now, texts: texts.current })),
    [placed, now],
  )
  const [root] = placed
  if (!root) return null
  const span = spans.find(({ spanId }) => spanId === chosen)
  return (
    <>
      <div className="flex h-72 shrink-0 flex-col rounded-md border border-line">
        <TreePane
          label="Calls over time"
          noun="calls"
          items={items}
          range={{ start: root.start, end: root.end ?? now }}
          chosen={chosen}
          choose={choose}
          look={look}
          setLook={(changes) => setLook({ ...look, ...changes })}
        />
      </div>
      {span && (
        <div className="[&>section]:max-h-none [&>section]:w-auto [&>section]:border-l-0">
          <SpanPanel
            key={chosen}
            span={span}
            spans={spans}
            after={Date.parse(span.startTime) - root.start}
            parent={spans.find(({ spanId }) => spanId === span.parentSpanId)}
            choose={choose}
            close={() => choose('')}
          />
        </div>
      )}
    </>
  )
}

const NONE: readonly Span[] = []

const TICK_MS = 250

/** The root and the spans within it; none without a root. */
function withinRoot(spans: readonly Span[], root: Span | undefined): readonly Span[] {
  if (!root) return NONE
  const within = spansByParent(spans)
  const found = new Set([root])
  for (const { spanId } of found) for (const span of within.get(spanId) ?? []) found.add(span)
  return [...found]
}
