import { parse } from 'dotenv'
import { AppError } from '../../lib/errors.ts'

interface Assignment {
  readonly key: string
  /** The text between the key and the value: `=` or `:`, and blanks. */
  readonly separator: string
  /** The value with its quotes, without surrounding blanks. */
  readonly value: string
  /** Offsets of the value. */
  readonly start: number
  readonly end: number
}

/** dotenv's pattern of assignments; group 3 is the value with quotes and blanks. */
const ASSIGNMENT =
  /^\s*(?:export\s+)?([\w.-]+)(\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/dgm

/**
 * Sets variables in the bytes of an `.env` file. The last assignment of a variable is changed, as it is the one that
 * counts; a new variable is appended. All other bytes are kept, in any encoding. Values must not need quotes.
 *
 * @throws AppError `conflict` when the file has a form in which this is not safe.
 */
export function setEnvVariables(bytes: Buffer, variables: ReadonlyMap<string, string>): Buffer {
  // one character per byte keeps bytes that are no valid UTF-8
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
  // dotenv normalizes line ends before it matches
  const lines = inAscii(text).replace(/\r\n?/g, '\n')
  const offsets = originalOffsets(text)
  return [...lines.matchAll(ASSIGNMENT)].map(({ 1: key = '', 2: separator = '', 3: group = '', indices }) => {
    const value = group.trim()
    const at = indices?.[3]?.[0] ?? indices?.[2]?.[1] ?? 0
    const lead = group.slice(0, group.indexOf(value))
    const start = at + lead.length
    const [from = 0, to = 0] = [offsets[start], offsets[start + value.length]]
    return { key, separator: separator + lead, value, start: from, end: to }
  })
}

/** The offset in the text of each character after `\r\n` is normalized to one character. */
function originalOffsets(text: string): number[] {
  const offsets: number[] = []
  for (let at = 0; at < text.length; at += text.startsWith('\r\n', at) ? 2 : 1) offsets.push(at)
  offsets.push(text.length)
  return offsets
}

/** Whether the value begins on the line of its key: otherwise dotenv may have matched the next line as the value. */
function isPlain({ separator }: Assignment): boolean {
  return !/[\n\u2028]/.test(separator)
}

function append(text: string, line: string): string {
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const lead = text === '' || /[\r\n]$/.test(text) || text === BYTE_ORDER_MARK ? '' : newline
  return `${text}${lead}${line}${newline}`
}

const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF'

/** Unicode blanks and line ends that dotenv matches, as UTF-8 bytes with one character per byte. */
const BLANKS =
  /\u00C2\u00A0|\u00EF\u00BB\u00BF|\u00E1\u009A\u0080|\u00E2\u0080[\u0080-\u008A\u00AF]|\u00E2\u0081\u009F|\u00E3\u0080\u0080/g
const LINE_ENDS = /\u00E2\u0080[\u00A8\u00A9]/g

/** A text of the same length that dotenv's pattern matches in the same way, without multi-byte characters. */
function inAscii(text: string): string {
  return text
    .replace(BLANKS, (bytes) => ' '.repeat(bytes.length))
    .replace(LINE_ENDS, (bytes) => '\u2028'.repeat(bytes.length))
    .replace(/[\u0080-\u00FF]/g, '?')
}

/** Parses both texts with dotenv, as the server does, and throws if another variable changed. */
function requireOnlyChanged(before: Buffer, after: Buffer, variables: ReadonlyMap<string, string>): void {
  const expected = new Map([...Object.entries(parse(before)), ...variables])
  const found = new Map(Object.entries(parse(after)))
  const isSame =
    expected.size === found.size && [...expected].every(([key, value]) => found.get(key) === value)
  if (isSame) return
  throw new AppError('conflict', 'Cannot set variables in .env safely: its syntax is ambiguous', {
    hint: `Set ${[...variables.keys()].join(', ')} by hand.`,
  })
}
