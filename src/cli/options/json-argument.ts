import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { AppError, messageOf } from '../../lib/errors.ts'
import { similarFile } from '../../lib/files/similar-file.ts'
import { jsonErrorOffset } from '../../lib/json/json-error-offset.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { Terminal } from '../print/terminal.ts'

export interface TextArgument {
  /** The option's name, such as `--input`. */
  readonly option: string
  /** The text itself, `@` followed by a file name, or `-` for stdin. */
  readonly value: string
  readonly terminal: Terminal
}

/** Reads the JSON value of an option. */
export async function readJsonArgument(argument: TextArgument): Promise<unknown> {
  const text = await readTextArgument(argument)
  try {
    return parseJson(text)
  } catch (error) {
    const reason = messageOf(error).replace(/^Invalid JSON: /, '')
    throw new AppError(
      'invalid_input',
      `${nameOf(argument)} is not valid JSON: ${reason}${positionOf(text)}`,
      {
        hint: `Examples: ${argument.option} '{"orderId":"A-1","amount":40}', ${argument.option} @file.json, or - to read stdin`,
      },
    )
  }
}

/** Reads the text of an option, from a file (`@file`) or stdin (`-`) if requested. */
export async function readTextArgument({ value, option, terminal }: TextArgument): Promise<string> {
  if (value === '-') {
    const end = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D'
    if (terminal.stdin.isTTY) terminal.note(`Reading ${option} from the terminal. Press ${end} to finish.`)
    return withoutByteOrderMark(await readText(terminal.stdin))
  }
  if (!value.startsWith('@')) return value
  try {
    return withoutByteOrderMark(await readFile(value.slice(1), 'utf8'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const similar = code === 'ENOENT' ? similarFile(value.slice(1)) : undefined
    throw new AppError(
      'invalid_input',
      `${option}: cannot read ${value.slice(1)} (${code ?? messageOf(cause)})`,
      { cause, ...(similar !== undefined && { hint: `Did you mean "@${path.relative('.', similar)}"?` }) },
    )
  }
}

function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

function nameOf({ value, option }: TextArgument): string {
  if (value === '-') return `${option} (stdin)`
  return value.startsWith('@') ? `${option} (${value.slice(1)})` : option
}

/** The position of the syntax error. Empty for valid JSON that was rejected for another reason. */
function positionOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    const before = text.slice(0, jsonErrorOffset(text, error)).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return before.length === 1 ? ` at column ${column}` : ` at line ${before.length}, column ${column}`
  }
}
