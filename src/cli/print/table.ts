import stringWidth from 'string-width'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const GAP = 2
const MIN_COLUMN_WIDTH = 6

/**
 * Formats rows in columns that fit the terminal. The widest columns are truncated first, and those with the headings
 * `kept` last: by default the first column, which identifies the row. Truncated cells end with `…`.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'paint' | 'width'>,
  kept: readonly string[] = headings.slice(0, 1),
): string {
  const clean = rows.map((row) => row.map((cell) => oneLine(cell)))
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...clean.map((row) => row[column] ?? '')].map((cell) => stringWidth(cell))),
  )
  const isKept = headings.map((heading) => kept.includes(heading))
  shrink(widths, isKept, terminal.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => fit(cell, widths[column] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [terminal.paint.dim(line(headings)), ...clean.map((row) => line(row))].join('\n')
}

function shrink(widths: number[], isKept: readonly boolean[], available: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))
  const shrinkable = (kept: boolean) => widths.map((width, column) => (isKept[column] === kept ? width : 0))
  while (total() > available) {
    const others = shrinkable(false)
    const next = Math.max(...others) > MIN_COLUMN_WIDTH ? others : shrinkable(true)
    const widest = Math.max(...next)
    if (widest <= MIN_COLUMN_WIDTH) return
    widths[next.lastIndexOf(widest)] = widest - 1
  }
}

const graphemes = new Intl.Segmenter()

/** The text padded or truncated to `width` columns. A truncated text ends with `…`. */
export function fit(text: string, width: number): string {
  const own = stringWidth(text)
  if (own <= width) return text + ' '.repeat(width - own)
  let truncated = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const next = used + stringWidth(segment)
    if (next > width - 1) break
    truncated += segment
    used = next
  }
  return `${truncated}…${' '.repeat(Math.max(0, width - 1 - used))}`
}
