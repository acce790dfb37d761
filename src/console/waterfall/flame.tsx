import { useEffect, useId, useMemo, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { MomentLine, Grid, Ruler, scrubHandlers, useWidth, useWheelZoom } from './axis.tsx'
import { ticksOf, percentAt } from './ticks.ts'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'
import type { WaterfallRow } from './waterfall-row.ts'
import type { WaterfallProps } from './waterfall.tsx'

const LANE = 22

/** The rows as a flame chart: bars with names, each below its parent. More compact than the waterfall. */
export function Flame({ label, rows, scale, view, chosen, choose, zoom, shift, scrubber }: WaterfallProps) {
  const id = useId()
  const ref = useRef<HTMLDivElement>(null)
  const { bars, lanes } = useMemo(() => flameBars(rows, { scale, view, chosen }), [rows, scale, view, chosen])
  const axis = useRef<HTMLDivElement>(null)
  const width = useWidth(axis)
  const ticks = useMemo(() => ticksOf(scale, view, width), [scale, view, width])
  const at = rows.findIndex(({ key }) => key === chosen)
  const move = (to: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (next) choose(next.key)
  }
  useEffect(() => {
    ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  useWheelZoom(ref, { zoom, shift })
  useKeys([
    { keys: 'j', label: 'Next row', group: 'Lists', run: () => move(at + 1) },
    { keys: 'k', label: 'Previous row', group: 'Lists', run: () => move(at - 1) },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(at + step)
  }
  return (
    <div
      ref={ref}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      aria-activedescendant={bars.some(({ row }) => row.key === chosen) ? `${id}-${at}` : undefined}
      className="relative min-h-0 flex-1 overflow-auto px-4 outline-offset-[-2px]"
    >
      <div
        role="none"
        ref={axis}
        data-bars=""
        {...(scrubber && scrubHandlers(scrubber, scale, view))}
        className={`sticky top-0 z-2 border-b border-line bg-page ${scrubber ? 'cursor-ew-resize touch-none' : ''}`}
      >
        <Ruler ticks={ticks} />
      </div>
      <div role="none" className="relative min-h-[calc(100%-1.5rem)]" style={{ height: lanes * LANE }}>
        <Grid ticks={ticks} scale={scale} view={view} />
        <MomentLine at={scrubber?.at} scale={scale} view={view} />
        {bars.map(({ row, index, lane, left, width, tone, colour }) => (
          <div
            key={row.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={row.key === chosen}
            aria-label={`${row.name}, ${row.description}`}
            title={`${row.name}, ${row.description}`}
            onClick={() => choose(row.key)}
            style={{
              left: `${left}%`,
              width: `${width}%`,
              top: lane * LANE + 2,
              ...(colour !== undefined && { backgroundColor: colour }),
            }}
            className={`absolute h-5 min-w-px cursor-pointer overflow-hidden rounded-[2px] aria-selected:outline-2 aria-selected:outline-text ${tone}`}
          >
            {width > 3 && (
              <span className="m-0.5 inline-block max-w-full truncate rounded-[2px] bg-page px-1 text-sm text-text">
                {row.name}
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

interface FlameBar {
  readonly row: WaterfallRow
  readonly index: number
  readonly lane: number
  /** Percent of the width. */
  readonly left: number
  readonly width: number
  readonly tone: string
  readonly colour: string | undefined
}

/** Percent of the width below which adjacent bars are indistinguishable. */
const MIN_GAP = 0.1

/** Each row as one bar, in a lane below its parent, without overlaps. */
function flameBars(
  rows: readonly WaterfallRow[],
  { scale, view, chosen }: { scale: TimeScale; view: View; chosen: string },
): { readonly bars: readonly FlameBar[]; readonly lanes: number } {
  const ends: number[] = []
  const drawn: number[] = []
  const outer: { readonly depth: number; readonly lane: number }[] = []
  const bars: FlameBar[] = []
  for (const [index, row] of rows.entries()) {
    const start = Math.min(...row.bars.map((bar) => bar.start))
    const end = Math.max(...row.bars.map((bar) => bar.end))
    while ((outer.at(-1)?.depth ?? -1) >= row.depth) outer.pop()
    let lane = (outer.at(-1)?.lane ?? -1) + 1
    while ((ends[lane] ?? -Infinity) > start) lane++
    ends[lane] = end
    outer.push({ depth: row.depth, lane })
    const from = percentAt(scale, view, start)
    const to = percentAt(scale, view, end)
    if (to < 0 || from > 100) continue
    const isIndistinct = to - (drawn[lane] ?? -1) < MIN_GAP
    if (isIndistinct && row.key !== chosen) continue
    drawn[lane] = to
    const left = Math.max(-0.5, from)
    const { tone = '', colour } = row.bars.findLast(({ thin }) => !thin) ?? row.bars[0] ?? {}
    bars.push({ row, index, lane, left, width: Math.min(100.5, to) - left, tone, colour })
  }
  return { bars, lanes: ends.length }
}
