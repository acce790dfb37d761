import { useMemo, useRef } from 'react'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { timeScale } from '../../waterfall/time-scale.ts'
import type { TimeScale } from '../../waterfall/time-scale.ts'
import type { WaterfallRow } from '../../waterfall/waterfall-row.ts'
import { busyTimes } from './data/busy-spans.ts'
import { sortOf } from './data/span-kind.ts'
import type { SpanSort } from './data/span-kind.ts'
import { findSpans } from './data/span-search.ts'
import type { FoundSpans, SearchTexts, SpanFilter } from './data/span-search.ts'
import type { TraceFacts } from './data/trace-facts.ts'
import type { PlacedSpan } from './data/span-tree.ts'
import { spanRows } from './span-rows.tsx'

export interface WaterfallLook extends SpanFilter {
  readonly collapse: boolean
}

export interface SpanWaterfall {
  readonly rows: readonly WaterfallRow[]
  readonly scale: TimeScale
  readonly found: FoundSpans | undefined
  readonly counts: ReadonlyMap<SpanSort, number>
}

/** The spans that are looked for, as rows of bars. */
export function useWaterfall(
  placed: readonly PlacedSpan[],
  { start, end }: Pick<TraceFacts, 'start' | 'end'>,
  { collapse, q, sort, onlyErrors }: WaterfallLook,
): SpanWaterfall {
  const texts = useRef<SearchTexts>(new WeakMap<Span, string>())
  const found = useMemo(
    () => findSpans(placed, { q, sort, onlyErrors }, texts.current),
    [placed, q, sort, onlyErrors],
  )
  const rows = useMemo(() => spanRows(placed, { found, now: end }), [placed, found, end])
  const scale = useMemo(
    () => timeScale({ start, end }, collapse ? busyTimes(placed, end) : [], collapse),
    [placed, start, end, collapse],
  )
  const counts = useMemo(() => {
    const all = new Map<SpanSort, number>()
    for (const { span } of placed) all.set(sortOf(span), (all.get(sortOf(span)) ?? 0) + 1)
    return all
  }, [placed])
  return { rows, scale, found, counts }
}
