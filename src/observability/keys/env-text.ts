import { parse } from 'dotenv'
import { AppError } from '../../lib/errors.ts'

interface Assignment {
  readonly key: string
  /** What stands between the key and the value: `=` or `:`, and blanks. */
  readonly separator: string
  /** Without the blanks around it; with its quotes. */
  readonly value: string
  /** Where the value is, as offsets. */
  readonly start: number
  readonly end: number
}

/** How dotenv finds assignments; group 3 is the value, with quotes and blanks. */
const ASSIGNMENT =
  /^\s*(?:export\s+)?([\w.-]+)(\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/dgm

/**
 * Sets variables in the bytes of an `.env` file. Where a variable is assigned more than once, the last one
 * counts and is changed; one that is not assigned is added at the end. Every other byte stays as it is,
 * whatever its encoding. Values must need no quotes.
 *
 * @throws AppError `conflict` when the file is written in a way in which this can't be done.
 */
export function setEnvVariables(bytes: Buffer, variables: ReadonlyMap<string, string>): Buffer {
  // one character per byte, so that bytes that are no text stay what they are
  let text = bytes.toString('latin1')
  for (const [key, value] of variables) text = assign(text, key, value)
  const changed = Buffer.from(text, 'latin1')
  requireOnlyChanged(bytes, changed, variables)
  return changed
}

function assign(text: string, key: string, value: string): string {
  const last = assignmentsIn(text).findLast((assignment) => assignment.key === key)
  if (last === undefined || !isPlain(last)) return append(text, `${key}=${value}`)
  const quote = /^(["'`])[^]*\1$/.test(last.value) && last.value.length > 1 ? last.value.charAt(0) : ''
  return `${text.slice(0, last.start)}${quote}${value}${quote}${text.slice(last.end)}`
}

function assignmentsIn(text: string): Assignment[] {
  // as dotenv, which makes every line end the same first
  const lines = inAscii(text).replace(/\r\n?/g, '\n')
  const places = placesBefore(text)
  return [...lines.matchAll(ASSIGNMENT)].map(({ 1: key = '', 2: separator = '', 3: group = '', indices }) => {
    const value = group.trim()
    const at = indices?.[3]?.[0] ?? indices?.[2]?.[1] ?? 0
    const lead = group.slice(0, group.indexOf(value))
    const start = at + lead.length
    const [from = 0, to = 0] = [places[start], places[start + value.length]]
    return { key, separator: separator + lead, value, start: from, end: to }
  })
}

/** Where each character of the text begins once `\r\n` counts as one. */
function placesBefore(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at < text.length; at += text.startsWith('\r\n', at) ? 2 : 1) places.push(at)
  places.push(text.length)
  return places
}

/** Whether the value begins in the line of its key: elsewhere it may be another line that dotenv takes for it. */
function isPlain({ separator }: Assignment): boolean {
  return !/[\n\u2028]/.test(separator)
}

function append(text: string, line: string): string {
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const lead = text === '' || /[\r\n]$/.test(text) || text === BYTE_ORDER_MARK ? '' : newline
  return `${text}${lead}${line}${newline}`
}

const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF'

/** The blanks and line ends of Unicode that dotenv knows, as UTF-8 has them, one character per byte. */
const BLANKS =
  /\u00C2\u00A0|\u00EF\u00BB\u00BF|\u00E1\u009A\u0080|\u00E2\u0080[\u0080-\u008A\u00AF]|\u00E2\u0081\u009F|\u00E3\u0080\u0080/g
const LINE_ENDS = /\u00E2\u0080[\u00A8\u00A9]/g

/** The same text for dotenv's purposes, of the same length, without characters of several bytes. */
function inAscii(text: string): string {
  return text
    .replace(BLANKS, (bytes) => ' '.repeat(bytes.length))
    .replace(LINE_ENDS, (bytes) => '\u2028'.repeat(bytes.length))
    .replace(/[\u0080-\u00FF]/g, '?')
}

/** Reads both as the server will. Something that dotenv takes for something else must not be written. */
function requireOnlyChanged(before: Buffer, after: Buffer, variables: ReadonlyMap<string, string>): void {
  const expected = new Map([...Object.entries(parse(before)), ...variables])
  const found = new Map(Object.entries(parse(after)))
  const isSame =
    expected.size === found.size && [...expected].every(([key, value]) => found.get(key) === value)
  if (isSame) return
  throw new AppError(
    'conflict',
    'The .env file is written in a way that variables can not be set in safely',
    {
      hint: `Set ${[...variables.keys()].join(', ')} by hand.`,
    },
  )
}
