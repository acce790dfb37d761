/** Rows rendered beyond the edges of the view. */
const OVERSCAN = 5

export interface RowRange {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** The rows to render of a list with rows of one height. */
export function visibleRange(
  view: { top: number; height: number },
  rowHeight: number,
  count: number,
): RowRange {
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
