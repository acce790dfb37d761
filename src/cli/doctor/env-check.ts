import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'dotenv'
import { EnvFiles } from '../../config/env-files.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

/** Looks at the project's `.env` files: what can be read in them, and by whom. Values are never told. */
export function checkEnvFiles(root: string, mode: string): Check[] {
  const files = new EnvFiles({ root, mode, env: {} }).paths.filter((file) => fs.existsSync(file))
  if (files.length === 0) return [ok('env', 'No .env files')]
  return files.map(checkFile)
}

function checkFile(file: string): Check {
  const name = path.basename(file)
  const stats = fs.statSync(file)
  if (!stats.isFile()) return failure('env', `${name} is not a file`, `Make ${name} a readable file.`)
  const text = readIfAllowed(file)
  if (text === undefined) return failure('env', `${name} can not be read`, `Check its owner and permissions.`)
  const odd = oddLines(text)
  if (odd.length > 0)
    return warning(
      'env',
      `${name}: line ${odd.join(', ')} sets nothing`,
      'Write it as KEY=value, or as a # comment.',
    )
  const mode = stats.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return warning(
      'env',
      `${name} can be read by others (mode ${mode.toString(8)})`,
      `Run: chmod 600 ${name}`,
    )
  return ok('env', `${name} (${Object.keys(parse(text)).length} variables)`)
}

function readIfAllowed(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined
    throw error
  }
}

/**
 * The lines that look as if they set something and don't. A line belongs to the one before it as long as that
 * one is not read whole, as the lines of a quoted value.
 */
function oddLines(text: string): number[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const odd: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s*(?:#|$)/.test(line)) continue
    if (Object.keys(parse(line)).length === 0) odd.push(at + 1)
    else at = endOfValue(lines, at)
  }
  return odd
}

/** The last line of a value that begins with a quote and goes on over several lines; else the same line. */
function endOfValue(lines: readonly string[], start: number): number {
  const quote = /^[^=:]*[=:]\s*(["'`])/.exec(lines[start] ?? '')?.[1]
  if (quote === undefined) return start
  const [first = ''] = lines.slice(start)
  if (first.slice(first.indexOf(quote) + 1).includes(quote)) return start
  const closing = lines.findIndex((line, at) => at > start && line.includes(quote))
  return closing === -1 ? start : closing
}
