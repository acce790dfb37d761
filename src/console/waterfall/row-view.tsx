import { memo } from 'react'
import { Icon } from '../ui/icon.tsx'
import { percentAt } from './ticks.ts'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'
import { barStyle } from './waterfall-row.ts'
import type { WaterfallRow } from './waterfall-row.ts'

export const COLUMNS = 'grid grid-cols-[minmax(9rem,17rem)_minmax(0,1fr)_5.5rem]'

interface RowProps {
  readonly id: string
  readonly row: WaterfallRow
  readonly top: number
  readonly count: number
  readonly position: number
  readonly scale: TimeScale
  readonly view: View
  readonly isChosen: boolean
  readonly isCollapsed: boolean
}

/** One row: name, bars and duration. Scrolling renders only the rows that come into view. */
export const RowView = memo(function RowView(props: RowProps) {
  const { id, row, top, count, position, scale, view, isChosen, isCollapsed } = props
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={count}
      aria-posinset={position}
      data-key={row.key}
      aria-selected={isChosen}
      aria-expanded={row.isExpandable ? !isCollapsed : undefined}
      style={{ transform: `translateY(${top}px)` }}
      className={`${COLUMNS} absolute inset-x-0 top-0 h-6 cursor-pointer [contain:strict] items-center px-4 hover:bg-hover/60 aria-selected:bg-chosen/70`}
    >
      <div
        className="flex min-w-0 items-center gap-1 pr-2"
        style={{ paddingLeft: Math.min(row.depth, 12) * 14 }}
      >
        {row.isExpandable ? (
          <span data-fold="" className="text-dim">
            <Icon name={isCollapsed ? 'right' : 'down'} />
          </span>
        ) : (
          <span className="w-3.5 shrink-0" />
        )}
        {row.icon}
        <bdi className={`truncate ${row.isFaint ? 'text-dim' : ''}`} title={row.name}>
          {row.name}
        </bdi>
        <span className="sr-only">, {row.description}</span>
        {row.note}
      </div>
      <div className={`relative h-full overflow-hidden ${row.isFaint ? 'opacity-40' : ''}`}>
        {row.bars.map((bar) => (
          <BarView key={`${bar.start} ${bar.title}`} bar={bar} scale={scale} view={view} />
        ))}
      </div>
      <div className="truncate pl-2 text-right text-sm text-dim">{row.aside}</div>
    </div>
  )
})

function BarView({ bar, scale, view }: { bar: WaterfallRow['bars'][number]; scale: TimeScale; view: View }) {
  const style = barStyle(percentAt(scale, view, bar.start), percentAt(scale, view, bar.end))
  if (!style) return null
  return (
    <div
      title={bar.title}
      style={{ ...style, ...(bar.colour !== undefined && { backgroundColor: bar.colour }) }}
      className={`absolute min-w-0.5 rounded-[2px] ${bar.thin ? 'inset-y-[9px]' : 'inset-y-1'} ${bar.tone}`}
    />
  )
}
