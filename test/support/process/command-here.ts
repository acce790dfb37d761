import { Console } from 'node:console'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type * as CommandLine from '../../../src/cli/command-line.ts'
import { keepEnv } from './keep-env.ts'

/** The script that starts the command line. */
export const BIN = fileURLToPath(new URL('../../../bin/agentserver.js', import.meta.url))
const COMMAND_LINE = new URL('../../../dist/cli/command-line.js', import.meta.url).href

/** The result of a command. */
export interface Ended {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export interface EndedHere extends Ended {
  /** Both outputs, in the order in which they were written. */
  readonly all: string
}

export interface CommandOptions {
  readonly cwd: string
  /** Variables to set, or to remove if undefined. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of stdin. */
  readonly input?: string
}

let previous: Promise<unknown> = Promise.resolve()

/**
 * Runs the built command line in this process, which is much cheaper than a launch. Commands run one after the other:
 * directory, environment and console belong to the process.
 */
export function runCommandHere(args: readonly string[], options: CommandOptions): Promise<EndedHere> {
  const ended = previous.then(() => run(args, options))
  previous = ended.catch(() => undefined)
  return ended
}

async function run(args: readonly string[], { cwd, env, input = '' }: CommandOptions): Promise<EndedHere> {
  const { runCommandLine } = (await import(COMMAND_LINE)) as typeof CommandLine
  const all: Buffer[] = []
  const stdout = new Output(all)
  const stderr = new Output(all)
  const restoreEnv = keepEnv()
  const directory = process.cwd()
  const { console } = globalThis
  globalThis.console = new Console(stdout, stderr)
  process.chdir(cwd)
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  try {
    const io = { stdin: Readable.from([input]), stdout, stderr }
    const exitCode = await runCommandLine([process.execPath, BIN, ...args], io)
    return { exitCode, stdout: stdout.text, stderr: stderr.text, all: textOf(all) }
  } finally {
    globalThis.console = console
    process.chdir(directory)
    restoreEnv()
  }
}

/** A stream that collects what is written to it. */
class Output extends Writable {
  readonly #chunks: Buffer[] = []
  readonly #all: Buffer[]

  constructor(all: Buffer[]) {
    super()
    this.#all = all
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    this.#all.push(chunk)
    done()
  }

  /** The text, without its last line break. */
  get text(): string {
    return textOf(this.#chunks)
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString().replace(/\n$/, '')
}
