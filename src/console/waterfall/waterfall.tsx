import { useEffect, useEffectEvent, useId, useMemo, useRef, useState, memo } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { useVisibleRows, scrollFor } from '../ui/table/use-visible-rows.ts'
import { MomentHandle, MomentLine, Grid, Ruler, scrubHandlers, useWidth, useWheelZoom } from './axis.tsx'
import type { Scrubber } from './axis.tsx'
import { ticksOf, percentAt } from './ticks.ts'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'
import { visibleRows, barStyle } from './waterfall-row.ts'
import type { WaterfallRow } from './waterfall-row.ts'

const COLUMNS =
  'grid grid-cols-[minmax(8rem,min(17rem,46%))_minmax(0,1fr)_5rem] max-sm:grid-cols-[minmax(0,1fr)_5rem_4rem]'

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
const RowView = memo(function RowView(props: RowProps) {
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

export interface WaterfallProps {
  readonly label: string
  readonly rows: readonly WaterfallRow[]
  readonly scale: TimeScale
  readonly view: View
  /** Key of the selected row. */
  readonly chosen: string
  readonly choose: (key: string) => void
  /** Called for Ctrl + wheel with a factor and the position of the pointer from 0 to 1. */
  readonly zoom?: (factor: number, around: number) => void
  /** Called for horizontal scrolling, with a fraction of the width. */
  readonly shift?: (by: number) => void
  /** The moment that can be dragged over the axis. */
  readonly scrubber?: Scrubber | undefined
  /** Keys of the collapsed rows, if the parent controls them. */
  readonly collapsed?: ReadonlySet<string>
  readonly setCollapsed?: (collapsed: ReadonlySet<string>) => void
}

const ROW = 24

/**
 * A waterfall: a tree of rows with bars over time, of which only those in view are in the DOM. `j`/`k` and the arrow
 * keys select, left and right collapse and expand. It fills the available height and scrolls.
 */
export function Waterfall(props: WaterfallProps) {
  const { label, rows, scale, view, chosen, choose, zoom, shift, scrubber } = props
  const id = useId()
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const { collapsed = own, setCollapsed = setOwn } = props
  const shown = useMemo(() => visibleRows(rows, collapsed), [rows, collapsed])
  const { ref, range } = useVisibleRows(ROW, shown.length)
  const frame = useRef<HTMLDivElement>(null)
  const axis = useRef<HTMLDivElement>(null)
  const width = useWidth(axis)
  const ticks = useMemo(() => ticksOf(scale, view, width), [scale, view, width])
  const at = shown.findIndex(({ key }) => key === chosen)
  const fold = (key: string, isFolded: boolean) => {
    const next = new Set(collapsed)
    if (isFolded) next.add(key)
    else next.delete(key)
    setCollapsed(next)
  }
  const reveal = (index: number) => {
    const element = ref.current
    if (!element || index < 0) return
    const top = scrollFor(index, ROW, { top: element.scrollTop, height: element.clientHeight })
    if (top !== undefined) element.scrollTop = top
  }
  const move = (to: number) => {
    const index = Math.max(0, Math.min(shown.length - 1, to))
    const next = shown[index]
    if (!next) return
    reveal(index)
    choose(next.key)
  }
  const revealChosen = useEffectEvent(() => reveal(at))
  // scrolls to the row of the URL when the page opens, or when the row is added
  useEffect(() => revealChosen(), [chosen, at >= 0])
  useWheelZoom(frame, { zoom, shift })
  useKeys([
    { keys: 'j', label: 'Next row', group: 'Lists', run: () => move(at + 1) },
    { keys: 'k', label: 'Previous row', group: 'Lists', run: () => move(at - 1) },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const row = shown[at]
    const page = Math.floor((ref.current?.clientHeight ?? 0) / ROW) - 1
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: shown.length - 1,
      PageDown: at + page,
      PageUp: at - page,
    }[event.key]
    if (to !== undefined) move(to)
    else if (event.key === 'ArrowRight' && row?.isExpandable) fold(row.key, false)
    else if (event.key === 'ArrowLeft' && row) {
      if (row.isExpandable && !collapsed.has(row.key)) fold(row.key, true)
      else move(shown.findLastIndex(({ depth }, index) => index < at && depth < row.depth))
    } else return
    event.preventDefault()
  }
  const onClick = ({ target }: MouseEvent) => {
    const hit = target instanceof Element ? target : undefined
    const key = hit?.closest('[data-key]')?.getAttribute('data-key')
    if (hit === undefined || typeof key !== 'string' || hit.closest('a')) return
    if (hit.closest('[data-fold]')) fold(key, !collapsed.has(key))
    else choose(key)
  }
  return (
    <div ref={frame} className="flex min-h-0 flex-1 flex-col">
      <div
        className={`${COLUMNS} shrink-0 overflow-y-hidden border-b border-line bg-panel px-4 text-sm text-dim [scrollbar-gutter:stable]`}
      >
        <span aria-hidden="true" className="pt-0.5">
          {shown.length} {shown.length === 1 ? 'row' : 'rows'}
        </span>
        <div
          ref={axis}
          data-bars=""
          {...(scrubber && {
            ...scrubHandlers(scrubber, scale, view),
            className: 'relative cursor-ew-resize touch-none',
          })}
        >
          <Ruler ticks={ticks} />
          {scrubber && <MomentHandle scrubber={scrubber} scale={scale} view={view} />}
        </div>
      </div>
      <div
        ref={ref}
        role="tree"
        aria-label={label}
        aria-activedescendant={at >= range.first && at < range.end ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        className="relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px] [scrollbar-gutter:stable]"
      >
        <div role="none" className="relative min-h-full" style={{ height: shown.length * ROW }}>
          <div role="none" className={`${COLUMNS} absolute inset-0 px-4`}>
            <div className="relative col-start-2">
              <Grid ticks={ticks} scale={scale} view={view} />
            </div>
          </div>
          <div role="none" className={`${COLUMNS} pointer-events-none absolute inset-0 z-1 px-4`}>
            <div className="relative col-start-2">
              <MomentLine at={scrubber?.at} scale={scale} view={view} />
            </div>
          </div>
          {shown.slice(range.first, range.end).map((row, offset) => (
            <RowView
              // elements are reused for other rows, which is faster than creating new ones
              key={(range.first + offset) % (range.end - range.first)}
              id={`${id}-${range.first + offset}`}
              row={row}
              top={(range.first + offset) * ROW}
              count={shown.length}
              position={range.first + offset + 1}
              scale={scale}
              view={view}
              isChosen={row.key === chosen}
              isCollapsed={collapsed.has(row.key)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function BarView({ bar, scale, view }: { bar: WaterfallRow['bars'][number]; scale: TimeScale; view: View }) {
  const style = barStyle(percentAt(scale, view, bar.start), percentAt(scale, view, bar.end))
  if (!style) return null
  return (
    <div
      title={bar.title}
      style={style}
      className={`absolute min-w-0.5 rounded-[2px] ${bar.thin ? 'inset-y-[9px]' : 'inset-y-1'} ${bar.tone}`}
    />
  )
}
