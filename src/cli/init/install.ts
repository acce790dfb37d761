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
  /** The hint of the error if the installation fails. */
  readonly hint: string
}

/** Slow networks pass, dead ones end. */
const TIMEOUT_MS = 15 * 60_000

/**
 * Installs a project's dependencies.
 *
 * @throws AppError `unavailable` if the registry is unreachable or the package manager is not installed,
 *   `install_failed` for any other failure.
 */
export async function install({ manager, terminal, hint, ...request }: InstallRequest): Promise<void> {
  const text = `Installing dependencies with ${manager}`
  if (!terminal.stderr.isTTY) terminal.note(text)
  const progress = new ProgressLine(terminal)
  progress.show(text)
  const run = commandRunner({
    cwd: request.directory,
    timeoutMs: TIMEOUT_MS,
    signal: request.signal,
    onOutput: (line) => terminal.note(terminal.notePaint.dim(oneLine(line))),
  })
  try {
    const result = await run(manager, ['install', ...(manager === 'npm' ? ['--no-audit', '--no-fund'] : [])])
    if (result.exitCode !== 0) throw commandFailed(`${manager} failed to install the dependencies`, result)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw new AppError(cause.code, `The project files were created, but ${cause.message}`, { cause, hint })
  } finally {
    progress.stop()
  }
}
