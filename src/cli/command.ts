import type { Command } from 'commander'
import type { ExitCode } from './exit-code.ts'
import type { Lifetime } from './lifetime.ts'
import type { Terminal } from './print/terminal.ts'

/** The options that every command takes. */
export interface CommonOptions {
  /** A config file, or a directory that holds one. */
  readonly config?: string
  /** The server to talk to. */
  readonly url?: string
  /** Console access key. */
  readonly key?: string
  /** User token. */
  readonly token?: string
  /** Print data instead of text for people. */
  readonly json?: boolean
}

/** One invocation of a command. */
export interface CommandCall {
  /** As given, in the order in which the command declares them. */
  readonly args: readonly (string | undefined)[]
  /** The command's own options and the common ones, by their names in camel case. */
  readonly options: CommonOptions & Readonly<Record<string, unknown>>
  readonly terminal: Terminal
  readonly lifetime: Lifetime
}

/** A command of the command line. */
export interface CliCommand {
  /** Declares arguments, options and examples. */
  define(command: Command): void
  /** Does it. What it throws is printed, and decides on the exit code. */
  run(call: CommandCall): Promise<ExitCode>
}

/** A command's line in the list of commands, and where it is. */
export interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<CliCommand>
}

/** A command's examples, as they stand at the end of its help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ agentserver ${line}`).join('\n')}`
}
