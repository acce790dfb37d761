import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { visibleRange } from './visible-range.ts'
import type { RowRange } from './visible-range.ts'

/**
 * The rows of a fixed-height list that are in view. Put `ref` on the element that scrolls. Scrolling within
 * what is drawn renders nothing.
 */
export function useVisibleRows(rowHeight: number, count: number) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 0 })
  const measure = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = ref.current ?? {}
    // only steps of several rows are worth a new drawing
    const step = rowHeight * 4
    const top = Math.floor(scrollTop / step) * step
    const height = clientHeight + step
    setView((old) => (old.top === top && old.height === height ? old : { top, height }))
  }, [rowHeight])
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [measure])
  const range: RowRange = visibleRange(view, rowHeight, count)
  return { ref, range }
}
