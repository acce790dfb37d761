import path from 'node:path'
import type { Command, CommanderError } from 'commander'
import { AppError } from '../lib/errors.ts'
import { similarFile } from '../lib/files/similar-file.ts'
import type { CommandIo, OutputStream } from './command-io.ts'
import type { CliCommand, CommandCall } from './command.ts'
import { EXIT, exitCodeOfError } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { nextCommand } from './invocation.ts'
import { Interrupted, Lifetime } from './lifetime.ts'
import { errorText, printError } from './print/print-error.ts'
import { Terminal } from './print/terminal.ts'
import { usageMessage } from './usage-error.ts'

/** The command that the arguments select. */
export interface Invocation {
  readonly command: CliCommand
  readonly args: CommandCall['args']
  readonly options: CommandCall['options']
}

interface RunContext {
  /** The text that runs the program. */
  readonly program: string
  readonly io: CommandIo
  readonly lifetime: Lifetime
}

/** Runs a command, and returns its exit code. Its resources are closed by then, unless it was interrupted twice or they take too long. */
export async function runInvocation(
  invocation: Invocation,
  { program, io }: { readonly program: string; readonly io: CommandIo },
): Promise<ExitCode> {
  const lifetime = new Lifetime()
  io.supervise?.(lifetime)
  return Promise.race([run(invocation, { program, io, lifetime }), lifetime.exited])
}

async function run(
  { command, args, options }: Invocation,
  { program, io, lifetime }: RunContext,
): Promise<ExitCode> {
  const terminal = new Terminal({
    io,
    color: options['color'] !== false,
    json: options.json === true,
    nextCommand: (text) => nextCommand(text, { program, options }),
  })
  endOnClosedOutput(lifetime, io)
  lifetime.onExited = (error) => void reportError(error, { terminal, lifetime })
  let exitCode: ExitCode
  try {
    if (terminal.json) terminal.protectStdout()
    changeDirectory(options['cwd'] as string | undefined)
    exitCode = await Promise.race([command.run({ args, options, terminal, lifetime }), lifetime.ended])
  } catch (error) {
    exitCode = reportError(error, { terminal, lifetime })
  }
  try {
    await lifetime.close(exitCode)
  } catch (error) {
    printError(error, terminal)
    exitCode ||= EXIT.failed
  }
  await terminal.flush()
  return exitCode
}

/** Makes a program, and the commands that it gets later, write to the streams of a call. */
export function writeTo({ stdout, stderr }: CommandIo, program: Command): Command {
  return program.configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
    // printed by reportUsage()
    outputError: () => undefined,
  })
}

/** The width of the help. */
function widthOf({ isTTY, columns }: OutputStream): number {
  return (isTTY && columns) || 80
}

interface UsageContext {
  readonly argv: readonly string[]
  /** The text that runs the program. */
  readonly called: string
  readonly program: Command
  /** The command whose arguments are invalid; the program itself if there is none. */
  readonly selected: Command
  readonly io: CommandIo
}

/** Prints a usage error, with the closest valid names, and how to get help. */
export function reportUsage(
  error: CommanderError,
  { argv, called, program, selected, io }: UsageContext,
): void {
  const isHelp = error.code === 'commander.help'
  const message = isHelp
    ? 'No command was given'
    : usageMessage(error.message, {
        commands: program.commands.flatMap((command) => [command.name(), ...command.aliases()]),
        flags: [...new Set([...program.options, ...selected.options].flatMap(({ long }) => long ?? []))],
      })
  const name = program.commands.length === 0 ? '' : ` ${selected === program ? '<command>' : selected.name()}`
  // commander has printed the help if no command was given
  if (!isHelp) io.stderr.write(`✗ ${message}\nRun \`${called}${name} --help\` for usage.\n`)
  if (argv.includes('--json')) io.stdout.write(`${JSON.stringify(failureJson(message))}\n`)
}

/** Prints an error to stderr; with `--json` also to stdout, as the server's API responds. */
function reportError(
  error: unknown,
  { terminal, lifetime }: { terminal: Terminal; lifetime: Lifetime },
): ExitCode {
  const interrupted = error instanceof Interrupted
  const exitCode = interrupted ? error.exitCode : exitCodeOfError(error)
  if (!interrupted) printError(error, terminal)
  const isExpected = exitCode === EXIT.done || (interrupted && lifetime.interruptIsReported)
  if (terminal.json && !isExpected) terminal.printLine(failureJson(errorText(error)))
  return exitCode
}

function failureJson(error: string): { success: false; error: string } {
  return { success: false, error }
}

function changeDirectory(directory: string | undefined): void {
  if (directory === undefined) return
  try {
    process.chdir(directory)
  } catch (cause) {
    const similar = similarFile(path.resolve(directory))
    const hint = similar === undefined ? {} : { hint: `Did you mean "${similar}"?` }
    throw new AppError('invalid_config', `--cwd: directory not found: ${path.resolve(directory)}`, {
      cause,
      ...hint,
    })
  }
}

/** Ends the command without an error when the reader of its output exits first, as `head` does. */
function endOnClosedOutput(lifetime: Lifetime, { stdout, stderr }: CommandIo): void {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      lifetime.interrupt(EXIT.done)
    })
}
