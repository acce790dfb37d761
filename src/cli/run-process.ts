import { Console } from 'node:console'
import { AppError } from '../lib/errors.ts'
import type { CommandIo } from './command-io.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import type { Lifetime } from './lifetime.ts'

/** Runs a command line as this process, with its arguments, streams and signals, and ends the process with the exit code. */
export async function runProcess(
  run: (argv: readonly string[], io: CommandIo) => Promise<ExitCode>,
): Promise<never> {
  const { stdin, stdout, stderr } = process
  writeConsoleToStreams()
  let exits = false
  const supervise = (lifetime: Lifetime) => superviseProcess(lifetime, () => exits)
  const exitCode = await run(process.argv, { stdin, stdout, stderr, supervise })
  exits = true
  process.exit(exitCode)
}

/**
 * The console of Bun and Deno does not write to `process.stdout`, whose `write` commands replace, so that what code of the
 * project prints is not in their result. Node's console does.
 */
function writeConsoleToStreams(): void {
  const { stdout, stderr, versions } = process
  if (versions['bun'] === undefined && versions['deno'] === undefined) return
  Object.assign(console, new Console(stdout, stderr))
}

/**
 * On Windows nobody can send SIGTERM. SIGBREAK is Ctrl-Break, which programs may send to a process group, and SIGHUP the
 * end of the console window. Elsewhere a handler of SIGHUP would undo `nohup`.
 */
const STOP_SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/** Ends a command on signals, on uncaught errors, and when this process has nothing left to wait for. */
function superviseProcess(lifetime: Lifetime, exits: () => boolean): void {
  for (const signal of STOP_SIGNALS) process.on(signal, () => lifetime.onSignal())
  process.on('uncaughtException', (error) => lifetime.onUncaughtError(error))
  process.on('unhandledRejection', (error) => lifetime.onUncaughtError(error))
  // Node would end with its code 13, without a word
  process.on('beforeExit', () => lifetime.onIdle())
  process.on('exit', (code) => {
    if (!exits()) process.exitCode = exitCodeOfExit(code, lifetime)
  })
}

/** The exit code when code of the project called `process.exit()`: that must not look as if the command had ended by itself. */
function exitCodeOfExit(code: number, lifetime: Lifetime): number {
  // the command has reported how it ended
  if (lifetime.closingWith !== undefined) return lifetime.closingWith
  const message = `${lifetime.waitsFor} called process.exit(${code}), which ended this command`
  lifetime.onExited(new AppError('internal', message))
  // Node passes on the text of process.exit('0')
  return Number(code) === EXIT.done ? EXIT.failed : code
}
