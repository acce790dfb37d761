import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import { useVisibleRows } from '../ui/table/use-visible-rows.ts'
import { scrollFor } from '../ui/table/visible-range.ts'
import type { LogLine } from './log-lines.ts'
import { LOG_ROW } from './log-row.tsx'

/** A rendered row. */
export interface VisibleLogRow {
  readonly index: number
  readonly key: string | number
  /** Pixels from the top of the list. */
  readonly top: number
}

export interface LogRows {
  /** Of the scrolling element. */
  readonly ref: RefObject<HTMLDivElement | null>
  readonly rows: readonly VisibleLogRow[]
  /** Height of all rows in pixels. */
  readonly height: number
  /** Of each row element, when its height is to be measured. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined
  readonly reveal: (index: number) => void
}

export interface LogRowsOptions {
  readonly lines: readonly LogLine[]
  /** Lines wrap, and have different heights. */
  readonly wraps: boolean
  readonly following: boolean
}

/** The rows of the log in view. Rows of one height need no measuring, which is faster at 1,000 lines per second. */
export function useLogRows({ lines, wraps, following }: LogRowsOptions): LogRows {
  const { length: count } = lines
  const { ref, range } = useVisibleRows(LOG_ROW, wraps ? 0 : count)
  const virtualizer = useVirtualizer({
    enabled: wraps,
    count: wraps ? count : 0,
    getScrollElement: () => ref.current,
    estimateSize: () => LOG_ROW,
    getItemKey: (index) => lines[index]?.record.id ?? index,
    overscan: 8,
    // lines in view keep their place when older ones are added or removed
    anchorTo: 'end',
    useFlushSync: false,
  })
  if (wraps)
    return {
      ref,
      rows: virtualizer
        .getVirtualItems()
        .map(({ index, key, start }) => ({ index, key: String(key), top: start })),
      height: virtualizer.getTotalSize(),
      measure: virtualizer.measureElement,
      reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    }
  // at the end, the rows in view are known before the browser has scrolled
  const inView = Math.ceil((ref.current?.clientHeight ?? 1000) / LOG_ROW)
  const { first, end } = following ? { first: Math.max(0, count - inView - 8), end: count } : range
  return {
    ref,
    rows: Array.from({ length: end - first }, (_, offset) => ({
      index: first + offset,
      // elements are reused for other lines, which is faster than creating new ones
      key: (first + offset) % (end - first),
      top: (first + offset) * LOG_ROW,
    })),
    height: count * LOG_ROW,
    measure: undefined,
    reveal: (index) => {
      const element = ref.current
      if (!element) return
      const top = scrollFor(index, LOG_ROW, { top: element.scrollTop, height: element.clientHeight })
      if (top !== undefined) element.scrollTop = top
    },
  }
}
