import { SPAN_SORTS } from './data/span-kind.ts'
import type { SpanSort } from './data/span-kind.ts'

export interface SortLegendProps {
  /** How many spans there are of each. */
  readonly counts: ReadonlyMap<SpanSort, number>
  /** The one that is shown alone. */
  readonly only: string
  readonly setOnly: (sort: string) => void
}

/** What the colours mean; a click shows one kind alone. */
export function SortLegend({ counts, only, setOnly }: SortLegendProps) {
  const sorts = Object.entries(SPAN_SORTS) as [SpanSort, readonly [string, string]][]
  return (
    <div role="group" aria-label="Kinds of spans" className="flex flex-wrap gap-x-1 text-sm">
      {sorts
        .filter(([sort]) => counts.has(sort) || sort === only)
        .map(([sort, [name, tone]]) => (
          <button
            key={sort}
            type="button"
            aria-pressed={only === sort}
            title={`Show spans of this kind alone`}
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
