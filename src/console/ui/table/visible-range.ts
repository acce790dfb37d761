/** Rows beyond the edges that are drawn beforehand. */
const BESIDE = 5

export interface RowRange {
  readonly first: number
  /** One beyond the last. */
  readonly end: number
}

/** The rows to draw of a list with rows of one height. */
export function visibleRange(
  view: { top: number; height: number },
  rowHeight: number,
  count: number,
): RowRange {
  const first = Math.max(0, Math.floor(view.top / rowHeight) - BESIDE)
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + BESIDE)
  return { first: Math.min(first, end), end }
}

/** Where to scroll, so that a row is in view; undefined when it is. */
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
