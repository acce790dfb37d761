import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { visibleRange } from './visible-range.ts'
import type { RowRange } from './visible-range.ts'

/**
 * The rows in view of a list with rows of one height. Put `ref` on the scrolling element. Scrolling within the
 * rendered rows causes no render.
 */
export function useVisibleRows(rowHeight: number, count: number) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 0 })
  const measure = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = ref.current ?? {}
    // rounds to several rows, to render less often
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
