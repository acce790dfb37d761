import { durationText } from '../ui/time/format-time.ts'
import type { TimeScale } from './time-scale.ts'
import { percentAt } from './ticks.ts'
import type { Tick, View } from './ticks.ts'
import { useLayoutEffect, useState, useEffect, useEffectEvent } from 'react'
import type { KeyboardEvent, PointerEvent, RefObject } from 'react'

/** The time axis, relative to the start. */
export function Ruler({ ticks }: { readonly ticks: readonly Tick[] }) {
  return (
    <div aria-hidden="true" className="relative h-6 overflow-hidden whitespace-nowrap text-sm text-dim">
      {ticks.map(({ left, ms, text }) => (
        <span
          key={ms}
          style={{ left: `${left}%` }}
          className="absolute top-0 h-full border-l border-line pl-1 pt-1"
        >
          {text}
        </span>
      ))}
    </div>
  )
}

interface GridProps {
  readonly ticks: readonly Tick[]
  readonly scale: TimeScale
  readonly view: View
}

/** Grid lines behind the bars, and bands for collapsed time. */
export function Grid({ ticks, scale, view }: GridProps) {
  const width = view.to - view.from
  return (
    <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-hidden">
      {ticks.map(({ left, ms }) => (
        <div key={ms} style={{ left: `${left}%` }} className="absolute inset-y-0 border-l border-line" />
      ))}
      {scale.gaps
        .filter(({ from, to }) => to > view.from && from < view.to)
        .map(({ from, to, ms }) => (
          <div
            key={from}
            style={{
              left: `${((from - view.from) / width) * 100}%`,
              width: `${((to - from) / width) * 100}%`,
            }}
            className="absolute inset-y-0 overflow-hidden border-x border-dashed border-line-strong bg-panel text-center text-sm text-dim"
          >
            <span className="[writing-mode:vertical-rl] whitespace-nowrap pt-1">{durationText(ms)}</span>
          </div>
        ))}
    </div>
  )
}

interface MomentLineProps {
  readonly at: number | undefined
  readonly scale: TimeScale
  readonly view: View
}

/** Marks the shown moment over the bars, and dims what came later. */
export function MomentLine({ at, scale, view }: MomentLineProps) {
  if (at === undefined) return null
  const left = Math.max(0, percentAt(scale, view, at))
  if (left >= 100) return null
  return (
    <div aria-hidden="true" className="pointer-events-none absolute inset-0 z-1 overflow-hidden">
      <div
        style={{ left: `${left}%` }}
        className="absolute inset-y-0 right-0 border-l-2 border-accent bg-page/60"
      />
    </div>
  )
}

interface MomentHandleProps {
  readonly scrubber: Scrubber
  readonly scale: TimeScale
  readonly view: View
}

/** The handle of the shown moment on the axis. Arrow keys go from event to event. */
export function MomentHandle({ scrubber, scale, view }: MomentHandleProps) {
  const { at, end, start, step, set, text } = scrubber
  const left = percentAt(scale, view, at ?? end)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const run = {
      ArrowLeft: () => step(-1),
      ArrowDown: () => step(-1),
      ArrowRight: () => step(1),
      ArrowUp: () => step(1),
      PageDown: () => step(-PAGE),
      PageUp: () => step(PAGE),
      Home: () => set(start),
      End: () => set(undefined),
    }[event.key]
    if (!run) return
    event.preventDefault()
    run()
  }
  return (
    <span
      role="slider"
      tabIndex={0}
      aria-label="Moment of the run"
      aria-valuemin={0}
      aria-valuemax={end - start}
      aria-valuenow={(at ?? end) - start}
      aria-valuetext={text}
      title="Drag to an earlier moment"
      onKeyDown={onKeyDown}
      style={{ left: `${Math.max(0, Math.min(100, left))}%` }}
      className="absolute inset-y-0 z-1 -ml-1.5 flex w-3 items-end justify-center outline-offset-0"
    >
      <span aria-hidden="true" className="h-3 w-2.5 rounded-t-[2px] rounded-b-full bg-accent" />
    </span>
  )
}

/** Events that Page Up and Page Down skip. */
const PAGE = 10

/** A moment that can be dragged over a time axis. Times are in milliseconds since the epoch. */
export interface Scrubber {
  /** Undefined for now. */
  readonly at: number | undefined
  /** The first and the last moment. */
  readonly start: number
  readonly end: number
  /** Description of the moment. */
  readonly text: string
  /** Shows the moment of an event some events later; earlier for a negative number. */
  readonly step: (by: number) => void
  /** Shows another moment while it is dragged. */
  readonly move: (time: number) => void
  /** The drag has ended. */
  readonly done: () => void
  /** Undefined: now. */
  readonly set: (time: number | undefined) => void
}

/** Handlers of an axis that is dragged over. */
export function scrubHandlers({ move, done }: Scrubber, scale: TimeScale, view: View) {
  const scrub = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const share = Math.max(0, Math.min(1, (event.clientX - left) / Math.max(1, width)))
    move(scale.timeAt(view.from + share * (view.to - view.from)))
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      scrub(event)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) scrub(event)
    },
    onPointerUp: done,
    onPointerCancel: done,
  }
}

/** The width of an element in pixels, 0 before it is measured. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}

interface WheelListener {
  /** Called for Ctrl + wheel with a factor and the position of the pointer from 0 to 1. */
  readonly zoom?: ((factor: number, around: number) => void) | undefined
  /** Called for horizontal scrolling, with a fraction of the width. */
  readonly shift?: ((by: number) => void) | undefined
}

/** Wheel zoom and pan over the element with `data-bars` within `ref`. */
export function useWheelZoom(ref: RefObject<HTMLElement | null>, { zoom, shift }: WheelListener): void {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const bars = ref.current?.querySelector('[data-bars]')?.getBoundingClientRect()
    if (!bars) return
    if (event.ctrlKey && zoom) {
      event.preventDefault()
      const around = Math.max(0, Math.min(1, (event.clientX - bars.left) / bars.width))
      zoom(Math.exp(event.deltaY * 0.002), around)
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && shift) {
      event.preventDefault()
      shift(event.deltaX / bars.width)
    }
  })
  useEffect(() => {
    const element = ref.current
    const listener = (event: WheelEvent) => onWheel(event)
    // React's wheel listener is passive and cannot prevent the page zoom
    element?.addEventListener('wheel', listener, { passive: false })
    return () => element?.removeEventListener('wheel', listener)
  }, [ref])
}
