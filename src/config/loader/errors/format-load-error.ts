import pc from 'picocolors'
import type { LoadFailure } from '../../../contract/load-failure.ts'
import { escapeControls } from '../../../lib/escape-controls.ts'

/** A failed load for the terminal: what, where, and the lines around it. Ends without a newline. */
export function formatLoadError(failure: LoadFailure, { colors }: { colors: boolean }): string {
  const paint = pc.createColors(colors)
  const lines = [`${paint.red(paint.bold(failure.name))}: ${escapeControls(failure.message)}`]
  const place = placeOf(failure)
  if (place !== null) lines.push(`${paint.dim('at')} ${paint.cyan(place)}`)
  if (failure.frame !== null)
    lines.push('', ...failure.frame.split('\n').map((line) => paintLine(line, paint)))
  return lines.join('\n')
}

function placeOf({ file, line, column }: LoadFailure): string | null {
  if (file === null || line === null) return file
  return column === null ? `${file}:${line}` : `${file}:${line}:${column}`
}

function paintLine(line: string, paint: ReturnType<typeof pc.createColors>): string {
  const text = escapeControls(line)
  if (text.startsWith('>')) return text
  return /^\s*\|\s*\^$/.test(text) ? paint.red(text) : paint.dim(text)
}
