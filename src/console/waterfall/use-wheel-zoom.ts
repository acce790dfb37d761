import { useEffect, useEffectEvent } from 'react'
import type { RefObject } from 'react'

export interface WheelListener {
  /** Ctrl and the wheel: a factor, and the place it is about, from 0 to 1. */
  readonly zoom?: ((factor: number, around: number) => void) | undefined
  /** The wheel sideways, as a part of the width. */
  readonly shift?: ((by: number) => void) | undefined
}

/** Zooms and moves over time by the wheel, above the element within `ref` that is marked `data-bars`. */
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
    // React's own listener is passive: it can't keep the page from being zoomed
    element?.addEventListener('wheel', listener, { passive: false })
    return () => element?.removeEventListener('wheel', listener)
  }, [ref])
}
