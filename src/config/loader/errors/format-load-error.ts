import pc from 'picocolors'
import type { LoadFailure } from '../../../contract/load-failure.ts'
import { escapeControls } from '../../../lib/escape-controls.ts'

/** Formats a failed load for the terminal: message, position and code frame. Without a final newline. */
export function formatLoadError(failure: LoadFailure, { colors }: { colors: boolean }): string {
  const paint = pc.createColors(colors)
  const lines = [`${paint.red(paint.bold(failure.name))}: ${escapeControls(failure.message)}`]
  const position = positionOf(failure)
  if (position !== null) lines.push(`${paint.dim('at')} ${paint.cyan(position)}`)
  if (failure.frame !== null)
    lines.push('', ...failure.frame.split('\n').map((line) => paintLine(line, paint)))
  return lines.join('\n')
}

function positionOf({ file, line, column }: LoadFailure): string | null {
  if (file === null || line === null) return file
  return column === null ? `${file}:${line}` : `${file}:${line}:${column}`
}

function paintLine(line: string, paint: ReturnType<typeof pc.createColors>): string {
  const text = escapeControls(line)
  if (text.startsWith('>')) return text
  return /^\s*\|\s*\^$/.test(text) ? paint.red(text) : paint.dim(text)
}
