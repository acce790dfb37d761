import { Command, CommanderError } from 'commander'
import { VERSION } from '../lib/packages/own-package.ts'
import type { CommandIo } from './command-io.ts'
import { COMMANDS } from './command-table.ts'
import { EXIT, exitCodes } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { programCalled } from './invocation.ts'
import { reportUsage, runInvocation, writeTo } from './run-invocation.ts'
import type { Invocation } from './run-invocation.ts'

/**
 * Runs the command that the arguments (`process.argv`) select, and returns its exit code. Its resources are closed by
 * then, unless it was interrupted twice or they take too long. `NODE_ENV`, if unset, and the current directory stay as
 * the command has set them.
 */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const program = programCalled({ script: argv[1] ?? '', cwd: process.cwd(), env: process.env })
  const invocation = await parse(argv, program, io)
  if (typeof invocation === 'number') return invocation
  return runInvocation(invocation, { program, io })
}

/** Parses the arguments, or returns an exit code for help, version and usage errors. Only the selected command's code is loaded. */
async function parse(argv: readonly string[], called: string, io: CommandIo): Promise<Invocation | ExitCode> {
  let invocation: Invocation | undefined
  const program = writeTo(io, createProgram(called))
  let selected = program
  for (const [name, { summary, alias, group }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary).helpGroup(`${group}:`)
    if (alias !== undefined) command.alias(alias)
  }
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
  return new Command('agentserver')
    .description('Serve agents and durable workflows over HTTP, and run them from the terminal.')
    .version(VERSION, '-v, --version')
    .option('--config <path>', 'config file, or the directory that contains it')
    .option('--cwd <dir>', 'working directory')
    .option('--url <url>', 'URL of the server (default: the running server of the project, if any)')
    .option('--key <key>', 'console access key')
    .option('--token <token>', 'user token')
    .option('--json', 'print JSON, errors too')
    .option('--no-color', 'disable colours')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(false)
    .addHelpText(
      'after',
      `\n${exitCodes()}\n\nRun \`${called} <command> --help\` for the options of a command and examples.`,
    )
    .exitOverride()
}
