import { useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Rows rendered beyond the edges of the view. */
const OVERSCAN = 5

interface RowRange {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** The rows to render of a list with rows of one height. */
function visibleRange(view: { top: number; height: number }, rowHeight: number, count: number): RowRange {
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN)
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN)
  return { first: Math.min(first, end), end }
}

/** The scroll position that brings a row into view; undefined when it is in view. */
export function scrollFor(
  row: number,
  rowHeight: number,
  { top, height }: { top: number; height: number },
): number | undefined {
  const start = row * rowHeight
  if (start < top) return start
  if (start + rowHeight > top + height) return start + rowHeight - height
  return undefined
}

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
