import stringWidth from 'string-width'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const GAP = 2
const MIN_COLUMN_WIDTH = 6

/** Formats rows in columns that fit the terminal. The widest columns are truncated first; truncated cells end with `…`. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'paint' | 'width'>,
): string {
  const clean = rows.map((row) => row.map((cell) => oneLine(cell)))
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...clean.map((row) => row[column] ?? '')].map((cell) => stringWidth(cell))),
  )
  shrink(widths, terminal.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => fit(cell, widths[column] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [terminal.paint.dim(line(headings)), ...clean.map((row) => line(row))].join('\n')
}

/** The first column identifies the row, so it is truncated last. */
function shrink(widths: number[], available: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))
  while (total() > available) {
    const [first = 0, ...others] = widths
    const widest = Math.max(...others)
    if (widest > MIN_COLUMN_WIDTH) widths[widths.lastIndexOf(widest)] = widest - 1
    else if (first > MIN_COLUMN_WIDTH) widths[0] = first - 1
    else return
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
