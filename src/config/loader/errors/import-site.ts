import { positionAt } from './code-frame.ts'
import type { Position } from './code-frame.ts'

/** The position where `source` imports or requires `specifier`. The first line if it is not found. */
export function specifierPosition(source: string, specifier: string): Position {
  const quoted = `['"\`]${escape(specifier)}['"\`]`
  const statement = new RegExp(`\\b(?:from|import|require)\\s*\\(?\\s*(${quoted})`, 'd').exec(source)
  const start = statement?.indices?.[1]?.[0] ?? source.search(new RegExp(quoted))
  return positionAt(source, Math.max(0, start))
}

/** The position of the name in an import of `specifier`. */
export function importedNamePosition(source: string, specifier: string, name: string): Position {
  const list = `\\b(?:import|export)\\b[^'"]*?(\\b${escape(name)}\\b)[^'"]*?\\bfrom\\s*['"]${escape(specifier)}['"]`
  const start = new RegExp(list, 'd').exec(source)?.indices?.[1]?.[0]
  return start === undefined ? specifierPosition(source, specifier) : positionAt(source, start)
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
