import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { AppError } from '../lib/errors.ts'
import { similarFile } from '../lib/files/similar-file.ts'
import { VERSION } from '../lib/packages/own-package.ts'
import type { CommandIo, OutputStream } from './command-io.ts'
import { COMMANDS } from './command-table.ts'
import type { CliCommand, CommandCall } from './command.ts'
import { EXIT, exitCodeOfError, exitCodes } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { nextCommand, programCalled } from './invocation.ts'
import { Interrupted, Lifetime } from './lifetime.ts'
import { errorText, printError } from './print/print-error.ts'
import { Terminal } from './print/terminal.ts'
import { usageMessage } from './usage-error.ts'

/** The command that the arguments select. */
interface Invocation {
  readonly command: CliCommand
  readonly args: CommandCall['args']
  readonly options: CommandCall['options']
}

/**
 * Runs the command that the arguments (`process.argv`) select, and returns its exit code. Its resources are closed by
 * then, unless it was interrupted twice or they take too long. `NODE_ENV`, if unset, and the current directory stay as
 * the command has set them.
 */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const program = programCalled({ script: argv[1] ?? '', cwd: process.cwd(), env: process.env })
  const invocation = await parse(argv, program, io)
  if (typeof invocation === 'number') return invocation
  const lifetime = new Lifetime()
  io.supervise?.(lifetime)
  return Promise.race([run(invocation, { program, io, lifetime }), lifetime.exited])
}

interface RunContext {
  /** The text that runs the program. */
  readonly program: string
  readonly io: CommandIo
  readonly lifetime: Lifetime
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

/** Parses the arguments, or returns an exit code for help, version and usage errors. Only the selected command's code is loaded. */
async function parse(argv: readonly string[], called: string, io: CommandIo): Promise<Invocation | ExitCode> {
  let invocation: Invocation | undefined
  const { stdout, stderr } = io
  const program = createProgram(called).configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
  })
  let selected = program
  for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary)
  program.hook('preSubcommand', async (_, sub) => {
    const command = await COMMANDS[sub.name()]?.load()
    if (!command) return
    selected = sub
    command.define(sub)
    sub.action(() => {
      const args = sub.processedArgs as (string | undefined)[]
      invocation = { command, args, options: sub.optsWithGlobals() }
    })
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT.done
    reportUsage(error, { argv, called, program, selected, io })
    return EXIT.usage
  }
  return invocation ?? EXIT.done
}

/** The program with the options that all commands share, without commands. `called` is the text that runs it. */
export function createProgram(called = 'agentserver'): Command {
  return (
    new Command('agentserver')
      .description('Serve agents and durable workflows over HTTP, and run them from the terminal.')
      .version(VERSION)
      .option('--config <path>', 'config file, or the directory that contains it')
      .option('--cwd <dir>', 'working directory')
      .option('--url <url>', 'URL of the server (default: the running server of the project, if any)')
      .option('--key <key>', 'console access key')
      .option('--token <token>', 'user token')
      .option('--json', 'print JSON, errors too')
      .option('--no-color', 'disable colours')
      .configureHelp({ showGlobalOptions: true })
      // printed by reportUsage()
      .configureOutput({ outputError: () => undefined })
      .showSuggestionAfterError(false)
      .addHelpText(
        'after',
        `\n${exitCodes()}\n\nRun \`${called} <command> --help\` for the options of a command and examples.`,
      )
      .exitOverride()
  )
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

function reportUsage(error: CommanderError, { argv, called, program, selected, io }: UsageContext): void {
  const isHelp = error.code === 'commander.help'
  const message = isHelp
    ? 'No command was given'
    : usageMessage(error.message, {
        commands: program.commands.map((command) => command.name()),
        flags: [...program.options, ...selected.options].flatMap(({ long }) => long ?? []),
      })
  const name = selected === program ? '<command>' : selected.name()
  // commander has printed the help if no command was given
  if (!isHelp) io.stderr.write(`✗ ${message}\nRun \`${called} ${name} --help\` for usage.\n`)
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
