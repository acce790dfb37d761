import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const GAP = 2
const NARROWEST = 6

/** Rows below their headings, in columns that fit the terminal: the widest give way, and end with `…` where they are cut. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'paint' | 'width'>,
): string {
  const clean = rows.map((row) => row.map((cell) => oneLine(cell)))
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...clean.map((row) => row[column] ?? '')].map((cell) => displayWidth(cell))),
  )
  shrink(widths, terminal.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => fit(cell, widths[column] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [terminal.paint.dim(line(headings)), ...clean.map((row) => line(row))].join('\n')
}

/** The first column names the row, and is cut only when nothing else can give way. */
function shrink(widths: number[], available: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))
  while (total() > available) {
    const [first = 0, ...others] = widths
    const widest = Math.max(...others)
    if (widest > NARROWEST) widths[widths.lastIndexOf(widest)] = widest - 1
    else if (first > NARROWEST) widths[0] = first - 1
    else return
  }
}

/** The text in exactly so many columns, ending with `…` where it is cut. */
export function fit(text: string, width: number): string {
  const own = displayWidth(text)
  if (own <= width) return text + ' '.repeat(width - own)
  let cut = ''
  for (const character of text) {
    if (displayWidth(cut + character) > width - 1) break
    cut += character
  }
  return `${cut}…${' '.repeat(Math.max(0, width - 1 - displayWidth(cut)))}`
}

const WIDE =
  /[\p{Extended_Pictographic}\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u
const NO_WIDTH = /^(?:\p{Mark}|\u200B|\u200C|\u200D|\uFE0F)$/u

/** How many columns a text takes on the terminal. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) if (!NO_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1
  return width
}
