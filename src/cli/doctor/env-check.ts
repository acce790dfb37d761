import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'dotenv'
import { EnvFiles } from '../../config/env-files.ts'
import type { Check } from './check.ts'
import { failure, ok, warning } from './check.ts'

/** Checks the syntax and permissions of the project's `.env` files. Values are never printed. */
export function checkEnvFiles(root: string, mode: string): Check[] {
  const files = new EnvFiles({ root, mode, env: {} }).paths.filter((file) => fs.existsSync(file))
  if (files.length === 0) return [ok('env', 'No .env files')]
  return files.map(checkFile)
}

function checkFile(file: string): Check {
  const name = path.basename(file)
  const stats = fs.statSync(file)
  if (!stats.isFile()) return failure('env', `${name} is not a file`, `Replace ${name} with a regular file.`)
  const text = readIfAllowed(file)
  if (text === undefined) return failure('env', `${name} is not readable`, 'Check its owner and permissions.')
  const invalid = invalidLines(text)
  if (invalid.length > 0)
    return warning(
      'env',
      `${name}: invalid syntax on line ${invalid.join(', ')}`,
      'Use KEY=value, or start the line with # for a comment.',
    )
  const mode = stats.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return warning(
      'env',
      `${name} is readable by other users (mode ${mode.toString(8)})`,
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
 * The numbers of lines that are neither a comment nor set a variable. A quoted value may span lines.
 */
function invalidLines(text: string): number[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const invalid: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s*(?:#|$)/.test(line)) continue
    if (Object.keys(parse(line)).length === 0) invalid.push(at + 1)
    else at = endOfValue(lines, at)
  }
  return invalid
}

/** The last line of a quoted value that spans lines; the first line for any other value. */
function endOfValue(lines: readonly string[], start: number): number {
  const quote = /^[^=:]*[=:]\s*(["'`])/.exec(lines[start] ?? '')?.[1]
  if (quote === undefined) return start
  const [first = ''] = lines.slice(start)
  if (first.slice(first.indexOf(quote) + 1).includes(quote)) return start
  const closing = lines.findIndex((line, at) => at > start && line.includes(quote))
  return closing === -1 ? start : closing
}
