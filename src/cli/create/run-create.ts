import { Command, CommanderError } from 'commander'
import { VERSION } from '../../lib/packages/own-package.ts'
import type { CommandIo } from '../command-io.ts'
import type { CommandCall } from '../command.ts'
import { create } from '../commands/init.ts'
import { EXIT } from '../exit-code.ts'
import type { ExitCode } from '../exit-code.ts'
import { reportUsage, runInvocation, writeTo } from '../run-invocation.ts'

/** The text that runs this program, also below `npm create`, which is passed on to it. */
const PROGRAM = 'create-agentserver'

/** Runs `create-agentserver`, the command of the package of that name: `init` for a project that does not exist yet. */
export async function runCreate(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const program = writeTo(io, new Command(PROGRAM))
    .description('Create a project that serves agents and durable workflows.')
    .version(VERSION, '-v, --version')
    .option('--json', 'print JSON, errors too')
    .option('--no-color', 'disable colours')
    .showSuggestionAfterError(false)
    .exitOverride()
    .action(() => undefined)
  create.define(program)
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT.done
    reportUsage(error, { argv, called: PROGRAM, program, selected: program, io })
    return EXIT.usage
  }
  const args = program.processedArgs as CommandCall['args']
  return runInvocation({ command: create, args, options: program.opts() }, { program: PROGRAM, io })
}
