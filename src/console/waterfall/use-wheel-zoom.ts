import { useEffect, useEffectEvent } from 'react'
import type { RefObject } from 'react'

export interface WheelListener {
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
