import pc from 'picocolors'
import { escapeControls, escapeJson } from '../../lib/escape-controls.ts'
import type { CommandIo, OutputStream } from '../command-io.ts'

type Colors = ReturnType<typeof pc.createColors>

export interface TerminalOptions {
  readonly io: CommandIo
  /** False for `--no-color`. Otherwise NO_COLOR, FORCE_COLOR and the kind of stream decide. */
  readonly color: boolean
  readonly json: boolean
  /** A command to run next, such as `state <id>`, as it is to be typed. */
  readonly nextCommand: (args: string) => string
}

/** The output of a command: its result goes to stdout, everything else to stderr. */
export class Terminal {
  readonly stdin: CommandIo['stdin']
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly json: boolean
  /** A command to run next, such as `state <id>`, as it is to be typed. */
  readonly nextCommand: (args: string) => string
  /** Colours for stdout. */
  readonly paint: Colors
  /** Colours for stderr. */
  readonly notePaint: Colors
  readonly #write: OutputStream['write']

  constructor({ io: { stdin, stdout, stderr }, color, json, nextCommand }: TerminalOptions) {
    this.stdin = stdin
    this.stdout = stdout
    this.stderr = stderr
    this.#write = stdout.write.bind(stdout)
    this.json = json
    this.nextCommand = nextCommand
    this.paint = pc.createColors(color && hasColors(stdout))
    this.notePaint = pc.createColors(color && hasColors(stderr))
  }

  /** A text with its commands, such as `agentserver dev` between backticks, as they are to be typed. */
  withCommands(text: string): string {
    return text.replaceAll(/`agentserver ([^`]+)`/g, (_, args: string) => `\`${this.nextCommand(args)}\``)
  }

  /** The width of the terminal. Infinite if stdout is not a terminal. */
  get width(): number {
    // 0: the terminal does not know its size
    return this.stdout.isTTY ? this.stdout.columns || 80 : Number.POSITIVE_INFINITY
  }

  /** Prints lines of the result. */
  print(text: string): void {
    this.#write(`${text}\n`)
  }

  /** Prints a part of the result, without a line break. */
  write(text: string): void {
    this.#write(text)
  }

  /** Prints one of several JSON values, as one line. */
  printLine(value: unknown): void {
    this.print(escapeJson(JSON.stringify(value)))
  }

  /** Prints the result as one JSON value, indented in a terminal. */
  printValue(value: unknown): void {
    this.print(escapeJson(JSON.stringify(value, null, this.stdout.isTTY ? 2 : undefined)))
  }

  /** Prints lines to stderr. */
  note(text: string): void {
    this.stderr.write(`${text}\n`)
  }

  /** Reserves stdout for the result: other output to it is redirected to stderr. */
  protectStdout(): void {
    // looked up at each call: a progress line may have replaced it
    const { stdout, stderr } = this
    stdout.write = ((...args: Parameters<typeof stderr.write>) =>
      stderr.write(...args)) as typeof stdout.write
  }

  /** Resolves when all output was written. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => this.#write('', () => resolve()))
    await new Promise<void>((resolve) => this.stderr.write('', () => resolve()))
  }
}

/** Untrusted text as one line, with control characters escaped. */
export function oneLine(text: string): string {
  return escapeControls(text).replace(/\s+/g, ' ').trim()
}

function hasColors(stream: OutputStream): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force = '', TERM } = process.env
  if (no !== '') return false
  if (force !== '') return force !== '0'
  // a boolean is required: for undefined picocolors decides itself, and uses colours in CI
  return Boolean(stream.isTTY) && TERM !== 'dumb'
}
