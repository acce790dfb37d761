import { useMemo, useRef } from 'react'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { timeScale } from '../../waterfall/time-scale.ts'
import type { TimeScale } from '../../waterfall/time-scale.ts'
import type { WaterfallRow } from '../../waterfall/waterfall-row.ts'
import { busyTimes } from './data/busy-spans.ts'
import { categoryOf } from './data/span-category.ts'
import type { SpanCategory } from './data/span-category.ts'
import { findSpans } from './data/span-search.ts'
import type { FoundSpans, SearchTexts, SpanFilter } from './data/span-search.ts'
import type { TraceFacts } from './data/trace-facts.ts'
import type { TreeSpan } from './data/span-tree.ts'
import { spanRows } from './span-rows.tsx'

export interface WaterfallLook extends SpanFilter {
  readonly collapse: boolean
}

export interface SpanWaterfall {
  readonly rows: readonly WaterfallRow[]
  readonly scale: TimeScale
  readonly found: FoundSpans | undefined
  readonly counts: ReadonlyMap<SpanCategory, number>
}

/** The spans that match the filters, as rows of bars. */
export function useWaterfall(
  placed: readonly TreeSpan[],
  { start, end }: Pick<TraceFacts, 'start' | 'end'>,
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
