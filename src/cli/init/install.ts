import { AppError } from '../../lib/errors.ts'
import { commandFailed, commandRunner } from '../../updates/run-command.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'

export interface InstallRequest {
  readonly manager: PackageManagerName
  /** The project's directory. */
  readonly directory: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** How to go on by hand; told when it fails. */
  readonly hint: string
}

const TIMEOUT_MS = 15 * 60_000

const ARGUMENTS: Readonly<Record<PackageManagerName, readonly string[]>> = {
  npm: ['install', '--no-audit', '--no-fund'],
  pnpm: ['install'],
  yarn: ['install'],
  bun: ['install'],
}

/**
 * Installs a project's dependencies.
 *
 * @throws AppError `unavailable` when the registry does not answer or there is no such package manager,
 *   `install_failed` when anything else fails.
 */
export async function install({ manager, terminal, hint, ...request }: InstallRequest): Promise<void> {
  const doing = `Installing the dependencies with ${manager}`
  if (!process.stderr.isTTY) terminal.note(doing)
  const progress = new ProgressLine(terminal)
  progress.show(doing)
  const run = commandRunner({
    cwd: request.directory,
    timeoutMs: TIMEOUT_MS,
    signal: request.signal,
    onOutput: (line) => terminal.note(terminal.notePaint.dim(oneLine(line))),
  })
  try {
    const result = await run(manager, ARGUMENTS[manager])
    if (result.exitCode !== 0) throw commandFailed(`${manager} could not install the dependencies`, result)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw new AppError(cause.code, `The files are there, but: ${cause.message}`, { cause, hint })
  } finally {
    progress.stop()
  }
}
