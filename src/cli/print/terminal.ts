import pc from 'picocolors'
import { escapeControls, escapeJson } from '../../lib/escape-controls.ts'

type Colors = ReturnType<typeof pc.createColors>

export interface TerminalOptions {
  /** `--no-color` says no; otherwise NO_COLOR, FORCE_COLOR and the kind of stream decide. */
  readonly color: boolean
  readonly json: boolean
}

/** What the command prints: its result to stdout, everything else to stderr. */
export class Terminal {
  readonly json: boolean
  /** Colours for the result. */
  readonly paint: Colors
  /** Colours for notes. */
  readonly notePaint: Colors
  readonly #write = process.stdout.write.bind(process.stdout)

  constructor({ color, json }: TerminalOptions) {
    this.json = json
    this.paint = pc.createColors(color && hasColors(process.stdout))
    this.notePaint = pc.createColors(color && hasColors(process.stderr))
  }

  /** The width to keep within; unlimited where nobody reads it on a screen. */
  get width(): number {
    // a terminal that does not know its size says 0
    return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY
  }

  /** Lines of the result. */
  print(text: string): void {
    this.#write(`${text}\n`)
  }

  /** A piece of the result, which others follow. */
  write(text: string): void {
    this.#write(text)
  }

  /** One of several JSON values, a line each. */
  printLine(value: unknown): void {
    this.print(escapeJson(JSON.stringify(value)))
  }

  /** The result as one JSON value: on a screen over several lines. */
  printValue(value: unknown): void {
    this.print(escapeJson(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)))
  }

  /** Lines beside the result. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  /** Keeps stdout for the result: whatever else is written there goes to stderr. */
  protectStdout(): void {
    // looked up at each call: a progress line may stand in between
    process.stdout.write = ((...args: Parameters<typeof process.stderr.write>) =>
      process.stderr.write(...args)) as typeof process.stdout.write
  }

  /** Fulfils when all that was printed is with the system. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => this.#write('', () => resolve()))
    await new Promise<void>((resolve) => process.stderr.write('', () => resolve()))
  }
}

/** Text of others on one line, harmless to the terminal. */
export function oneLine(text: string): string {
  return escapeControls(text).replace(/\s+/g, ' ').trim()
}

function hasColors(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force = '', TERM } = process.env
  if (no !== '') return false
  if (force !== '') return force !== '0'
  // undefined where it is no terminal, and picocolors then decides for itself, with colours in CI
  return Boolean(stream.isTTY) && TERM !== 'dumb'
}
