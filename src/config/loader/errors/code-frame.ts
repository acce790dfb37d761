import { maskLiterals } from './mask-literals.ts'

export interface Position {
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1, in UTF-16 units. */
  readonly column: number
}

/** The line and column of a UTF-16 offset. */
export function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Two lines of source around a position, numbered, with a caret below it. Literals that may be secrets are masked. */
export function codeFrame(source: string, position: Position): string {
  return frameAround(maskLiterals(source).split(/\r?\n/), position)
}

/** The same for the lines of a masked source. */
export function frameAround(lines: readonly string[], { line, column }: Position): string {
  const first = Math.max(1, line - 2)
  const last = Math.min(lines.length, line + 2)
  const width = String(last).length
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const text = lines[number - 1] ?? ''
    const mark = number === line ? '>' : ' '
    frame.push(`${mark} ${String(number).padStart(width)} | ${text}`.trimEnd())
    if (number === line) {
      // keep tabs, so that the caret is below its column at any tab width
      const indent = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
      frame.push(`  ${' '.repeat(width)} | ${indent}^`)
    }
  }
  return frame.join('\n')
}
