import { SPAN_CATEGORIES } from './data/span-category.ts'
import type { SpanCategory } from './data/span-category.ts'

export interface CategoryLegendProps {
  /** Number of spans of each kind. */
  readonly counts: ReadonlyMap<SpanCategory, number>
  /** The only kind that is shown; empty for all. */
  readonly only: string
  readonly setOnly: (sort: string) => void
}

/** The legend of the colours; a click filters by kind. */
export function CategoryLegend({ counts, only, setOnly }: CategoryLegendProps) {
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
