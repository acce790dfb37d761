import type { PointerEvent } from 'react'
import type { View } from './ticks.ts'
import type { TimeScale } from './time-scale.ts'

/** A moment that can be dragged over a time axis. Times are in milliseconds since the epoch. */
export interface Scrubber {
  /** Undefined for now. */
  readonly at: number | undefined
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
