import type { Command } from 'commander'
import type { ExitCode } from './exit-code.ts'
import type { Lifetime } from './lifetime.ts'
import type { Terminal } from './print/terminal.ts'

/** Options that all commands share. */
export interface CommonOptions {
  /** A config file, or a directory that contains one. */
  readonly config?: string
  /** URL of the server. */
  readonly url?: string
  /** Console access key. */
  readonly key?: string
  /** User token. */
  readonly token?: string
  /** Print JSON instead of text. */
  readonly json?: boolean
}

/** One invocation of a command. */
export interface CommandCall {
  /** Positional arguments, in the order in which the command declares them. */
  readonly args: readonly (string | undefined)[]
  /** The command's own options and the common ones, by their names in camel case. */
  readonly options: CommonOptions & Readonly<Record<string, unknown>>
  readonly terminal: Terminal
  readonly lifetime: Lifetime
}

/** A command of the command line. */
export interface CliCommand {
  /** Declares arguments, options and help texts. */
  define(command: Command): void
  /** Runs the command. An error that it throws is printed and determines the exit code. */
  run(call: CommandCall): Promise<ExitCode>
}

/** The headings of the help, in its order. */
export const COMMAND_GROUPS = ['Common', 'Executions', 'Agents and evals', 'Project', 'Data'] as const
export type CommandGroup = (typeof COMMAND_GROUPS)[number]

/** A command in the command table. Its code is loaded on use. */
export interface CommandEntry {
  readonly summary: string
  /** A shorter name. */
  readonly alias?: string
  /** The heading in the help. */
  readonly group: CommandGroup
  readonly load: () => Promise<CliCommand>
}

/** The examples at the end of a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ agentserver ${line}`).join('\n')}`
}
