import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { AppError, messageOf } from '../../lib/errors.ts'
import { jsonErrorOffset } from '../../lib/json/json-error-offset.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { Terminal } from '../print/terminal.ts'

export interface TextArgument {
  /** The option it belongs to, as `--input`. */
  readonly option: string
  /** As given: the value itself, `@` and a file, or `-` for stdin. */
  readonly given: string
  readonly terminal: Terminal
}

/** Reads a JSON value that was given to an option. */
export async function readJsonArgument(argument: TextArgument): Promise<unknown> {
  const text = await readTextArgument(argument)
  try {
    return parseJson(text)
  } catch (error) {
    const reason = messageOf(error).replace(/^Invalid JSON: /, '')
    throw new AppError('invalid_input', `${nameOf(argument)} is not JSON: ${reason}${placeOf(text)}`, {
      hint: `Examples: ${argument.option} '{"orderId":"A-1","amount":40}', ${argument.option} @file.json, or - to read stdin`,
    })
  }
}

/** Reads a text that was given to an option, from a file or stdin where it says so. */
export async function readTextArgument({ given, option, terminal }: TextArgument): Promise<string> {
  if (given === '-') {
    if (process.stdin.isTTY) terminal.note(`Reading ${option} from the terminal; end it with Ctrl-D.`)
    return withoutMark(await readText(process.stdin))
  }
  if (!given.startsWith('@')) return given
  try {
    return withoutMark(await readFile(given.slice(1), 'utf8'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new AppError(
      'invalid_input',
      `${option}: can't read ${given.slice(1)} (${code ?? messageOf(cause)})`,
      { cause },
    )
  }
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

function nameOf({ given, option }: TextArgument): string {
  if (given === '-') return `What stdin has for ${option}`
  return given.startsWith('@') ? `The file ${given.slice(1)} for ${option}` : option
}

/** Where the text stops being JSON; nothing where it is JSON that is refused for another reason. */
function placeOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    const before = text.slice(0, jsonErrorOffset(text, error)).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return before.length === 1 ? ` at column ${column}` : ` at line ${before.length}, column ${column}`
  }
}
