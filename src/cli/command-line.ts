import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { AppError } from '../lib/errors.ts'
import { VERSION } from '../lib/packages/version.ts'
import type { CliCommand, CommandCall, CommandEntry } from './command.ts'
import { EXIT, exitCodeOfError } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { Interrupted, Lifetime } from './lifetime.ts'
import { printError } from './print/error.ts'
import { Terminal } from './print/terminal.ts'

type Commands = Readonly<Record<string, CommandEntry>>

/** What the arguments ask for. */
interface Chosen {
  readonly command: CliCommand
  readonly args: CommandCall['args']
  readonly options: CommandCall['options']
}

/** Does what the arguments say, and ends the process. */
export async function runCommandLine(argv: readonly string[], commands: Commands): Promise<never> {
  const chosen = await parse(argv, commands)
  if (typeof chosen === 'number') process.exit(chosen)
  const { command, args, options } = chosen
  const terminal = new Terminal({ color: options['color'] !== false, json: options.json === true })
  const lifetime = new Lifetime()
  endOnClosedOutput(lifetime)
  let exitCode: ExitCode
  try {
    if (terminal.json) terminal.protectStdout()
    enter(options['cwd'] as string | undefined)
    exitCode = await Promise.race([command.run({ args, options, terminal, lifetime }), lifetime.ended])
  } catch (error) {
    exitCode = ended(error, terminal)
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

/** The command that was asked for, or the exit code when that was all. Only its own code is loaded. */
async function parse(argv: readonly string[], commands: Commands): Promise<Chosen | ExitCode> {
  let chosen: Chosen | undefined
  const program = createProgram()
  for (const [name, { summary }] of Object.entries(commands)) program.command(name).description(summary)
  program.hook('preSubcommand', async (_, sub) => {
    const command = await commands[sub.name()]?.load()
    if (!command) return
    command.define(sub)
    sub.action(() => {
      const args = sub.processedArgs as (string | undefined)[]
      chosen = { command, args, options: sub.optsWithGlobals() }
    })
  })
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
  return chosen ?? EXIT.done
}

/** The program with the options that every command takes, and no commands yet. */
export function createProgram(): Command {
  return new Command('agentserver')
    .description('Serves agents and durable workflows, and runs them from the terminal.')
    .version(VERSION)
    .option('--config <path>', 'the config file, or the directory that holds it')
    .option('--cwd <dir>', 'run in this directory')
    .option('--url <url>', 'the server to talk to, instead of the one that runs for the project')
    .option('--key <key>', 'console access key')
    .option('--token <token>', 'user token')
    .option('--json', 'print data for programs')
    .option('--no-color', 'print without colours')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help for what it takes)')
    .exitOverride()
}

function ended(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof Interrupted) return error.exitCode
  printError(error, terminal)
  return exitCodeOfError(error)
}

function enter(directory: string | undefined): void {
  if (directory === undefined) return
  try {
    process.chdir(directory)
  } catch (cause) {
    throw new AppError('invalid_config', `--cwd: there is no directory ${path.resolve(directory)}`, { cause })
  }
}

/** A reader that has seen enough, such as `head`, ends the command quietly. */
function endOnClosedOutput(lifetime: Lifetime): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      lifetime.interrupt(EXIT.done)
    })
}
