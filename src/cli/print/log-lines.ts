import { escapeControls } from '../../lib/escape-controls.ts'
import type { Terminal } from './terminal.ts'

interface LogRecord {
  readonly level: number
  readonly time: number
  readonly msg?: string
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string }
  readonly requestId?: string
  readonly [key: string]: unknown
}

export interface LogLinesOptions {
  /** Also what is logged of requests that failed, warnings and below. */
  readonly requests: boolean
}

const WARN = 40
const ERROR = 50

/** Writes log records to stderr, a line for people each. What pino takes as a destination. */
export class LogLines {
  readonly #terminal: Pick<Terminal, 'note' | 'notePaint'>
  readonly #options: LogLinesOptions

  constructor(terminal: Pick<Terminal, 'note' | 'notePaint'>, options: LogLinesOptions) {
    this.#terminal = terminal
    this.#options = options
  }

  write(line: string): void {
    const record = JSON.parse(line) as LogRecord
    if (!this.#options.requests && record.requestId !== undefined && record.level < ERROR) return
    this.#terminal.note(this.#format(record))
  }

  #format({ level, time, msg = '', err, ...fields }: LogRecord): string {
    const { notePaint: paint } = this.#terminal
    const clock = new Date(time).toTimeString().slice(0, 8)
    const mark = level >= ERROR ? paint.red('error') : level >= WARN ? paint.yellow('warn') : ''
    const rest = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    const told = [paint.dim(clock), mark, escapeControls(msg), paint.dim(escapeControls(rest.join(' ')))]
    const line = told.filter((part) => part !== '').join(' ')
    const stack = err && (err.stack ?? `${err.type ?? 'Error'}: ${err.message ?? ''}`)
    return stack === undefined ? line : `${line}\n${escapeControls(stack).replaceAll(/^/gm, '    ')}`
  }
}
