import { escapeControls } from '../../lib/escape-controls.ts'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import { levelName, levelNumber } from '../../observability/logs/log-entry.ts'
import type { LogEntry } from '../../observability/logs/log-entry.ts'
import type { Terminal } from './terminal.ts'

export interface LogLinesOptions {
  /** Also print warnings and lower levels of single requests. */
  readonly requests: boolean
}

type Printed = Pick<LogEntry, 'timestamp' | 'level' | 'message' | 'attributes' | 'executionId'>
type Paint = Terminal['notePaint']

const ERROR = 50
const MAX_CAUSES = 5

/** Prints log records to stderr as text: one line each, followed by the stack of an error. */
export class LogLines {
  readonly #terminal: Pick<Terminal, 'note' | 'notePaint'>
  readonly #options: LogLinesOptions

  constructor(terminal: Pick<Terminal, 'note' | 'notePaint'>, options: LogLinesOptions) {
    this.#terminal = terminal
    this.#options = options
  }

  readonly print = (entry: LogEntry): void => {
    const ofRequest = entry.attributes['requestId'] !== undefined
    if (!this.#options.requests && ofRequest && entry.level < ERROR) return
    this.#terminal.note(logLine(entry, this.#terminal.notePaint))
  }
}

/** Converts a record of the API into the form that logLine formats. */
export function fromRecord({ timestamp, level, ...record }: LogRecord): Printed {
  return { ...record, timestamp: Date.parse(timestamp), level: levelNumber(level) }
}

/** Formats a record. Control characters are escaped, so its text can't drive the terminal or fake other lines. */
export function logLine(entry: Printed, paint: Paint): string {
  const { timestamp, level, message, attributes, executionId } = entry
  const { err, ...fields } = attributes
  const ids = executionId === null ? {} : { executionId }
  const rest = Object.entries({ ...ids, ...fields }).map(
    ([key, value]) => `${nameOf(key)}=${JSON.stringify(value)}`,
  )
  const parts = [
    paint.dim(timeOf(new Date(timestamp), new Date())),
    markOf(level, paint),
    indented(escapeControls(message)),
    paint.dim(escapeControls(rest.join(' '))),
  ]
  const line = parts.filter((part) => part !== '').join(' ')
  const stack = stackOf(err, 0)
  return stack === '' ? line : `${line}\n    ${indented(escapeControls(stack))}`
}

/** The name of an attribute, in quotes if it contains characters that could be read as more than a name. */
function nameOf(key: string): string {
  return /^[\p{L}\p{N}_.$@:/-]+$/u.test(key) ? key : JSON.stringify(key)
}

/** Local time, with the date unless it is today. */
function timeOf(at: Date, now: Date): string {
  const time = at.toTimeString().slice(0, 8)
  if (at.toDateString() === now.toDateString()) return time
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`
}

function markOf(level: number, paint: Paint): string {
  const name = levelName(level)
  if (name === 'info') return ''
  if (level >= ERROR) return paint.red(name)
  return name === 'warn' ? paint.yellow(name) : paint.dim(name)
}

/** Indents all lines after the first, to separate them from the next record. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n    ')
}

function stackOf(error: unknown, depth: number): string {
  if (error === undefined || error === null) return ''
  if (typeof error !== 'object') return textOf(error)
  const { type, message, stack, cause } = error as Readonly<Record<string, unknown>>
  const own = typeof stack === 'string' ? stack : `${textOf(type ?? 'Error')}: ${textOf(message ?? '')}`
  const deeper = depth < MAX_CAUSES ? stackOf(cause, depth + 1) : ''
  return deeper === '' ? own : `${own}\nCaused by: ${deeper}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
