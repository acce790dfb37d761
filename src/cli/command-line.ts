import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { AppError } from '../lib/errors.ts'
import { VERSION } from '../lib/packages/version.ts'
import type { CliCommand, CommandCall, CommandEntry } from './command.ts'
import { EXIT, exitCodeOfError, exitCodes } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { Interrupted, Lifetime } from './lifetime.ts'
import { printError } from './print/print-error.ts'
import { Terminal } from './print/terminal.ts'

type Commands = Readonly<Record<string, CommandEntry>>

/** The command that the arguments select. */
interface Invocation {
  readonly command: CliCommand
  readonly args: CommandCall['args']
  readonly options: CommandCall['options']
}

/** Runs the command that the arguments select, then ends the process with its exit code. */
export async function runCommandLine(argv: readonly string[], commands: Commands): Promise<never> {
  const invocation = await parse(argv, commands)
  if (typeof invocation === 'number') process.exit(invocation)
  const { command, args, options } = invocation
  const terminal = new Terminal({ color: options['color'] !== false, json: options.json === true })
  const lifetime = new Lifetime()
  endOnClosedOutput(lifetime)
  let exitCode: ExitCode
  try {
    if (terminal.json) terminal.protectStdout()
    changeDirectory(options['cwd'] as string | undefined)
    exitCode = await Promise.race([command.run({ args, options, terminal, lifetime }), lifetime.ended])
  } catch (error) {
    exitCode = reportError(error, terminal)
  }
  try {
    await lifetime.close(exitCode)
  } catch (error) {
    printError(error, terminal)
    exitCode ||= EXIT.failed
  }
  await terminal.flush()
  process.exit(exitCode)
}

/** Parses the arguments, or returns an exit code for help, version and usage errors. Only the selected command's code is loaded. */
async function parse(argv: readonly string[], commands: Commands): Promise<Invocation | ExitCode> {
  let invocation: Invocation | undefined
  const program = createProgram()
  for (const [name, { summary }] of Object.entries(commands)) program.command(name).description(summary)
  program.hook('preSubcommand', async (_, sub) => {
    const command = await commands[sub.name()]?.load()
    if (!command) return
    sub.showHelpAfterError(usageHint(sub.name()))
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
    return error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
  return invocation ?? EXIT.done
}

/** The program with the options that all commands share, without commands. */
export function createProgram(): Command {
  return new Command('agentserver')
    .description('Serve agents and durable workflows over HTTP, and run them from the terminal.')
    .version(VERSION)
    .option('--config <path>', 'config file, or the directory that contains it')
    .option('--cwd <dir>', 'working directory')
    .option('--url <url>', 'URL of the server (default: the running server of the project, if any)')
    .option('--key <key>', 'console access key')
    .option('--token <token>', 'user token')
    .option('--json', 'print JSON')
    .option('--no-color', 'disable colours')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(usageError(text)) })
    .addHelpText(
      'after',
      `\n${exitCodes()}\n\nRun \`agentserver <command> --help\` for the options of a command and examples.`,
    )
    .showHelpAfterError(usageHint())
    .exitOverride()
}

/** Rewrites commander's message in the form of all other errors: `unknown option "--inptu". Did you mean "--input"?` */
function usageError(text: string): string {
  return text
    .replace(/^error: /, '✗ ')
    .replaceAll(/'([^']*)'/g, '"$1"')
    .replace(/\n\(Did you mean (one of )?(.*)\?\)/, (_, oneOf: string | undefined, names: string) => {
      const quoted = names.split(', ').map((name) => `"${name}"`)
      return `. Did you mean ${oneOf ?? ''}${quoted.join(', ')}?`
    })
}

function usageHint(command = '<command>'): string {
  return `Run \`agentserver ${command} --help\` for usage.`
}

function reportError(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof Interrupted) return error.exitCode
  printError(error, terminal)
  return exitCodeOfError(error)
}

function changeDirectory(directory: string | undefined): void {
  if (directory === undefined) return
  try {
    process.chdir(directory)
  } catch (cause) {
    throw new AppError('invalid_config', `--cwd: directory not found: ${path.resolve(directory)}`, { cause })
  }
}

/** Ends the command without an error when the reader of its output exits first, as `head` does. */
function endOnClosedOutput(lifetime: Lifetime): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      lifetime.interrupt(EXIT.done)
    })
}
