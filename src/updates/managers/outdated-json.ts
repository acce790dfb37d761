import { commandFailed } from '../run-command.ts'
import type { CommandResult } from '../run-command.ts'
import type { PackageVersions } from './package-manager.ts'
import { textIn } from './package-manager.ts'

/**
 * Reads what `npm outdated --json` and `pnpm outdated --json` print: an object with an entry per package. They
 * end with 1 when there is something to tell.
 */
export function readOutdatedJson(result: CommandResult): PackageVersions[] {
  const report = parse(result)
  return Object.entries(report).flatMap(([name, found]: [string, unknown]) => {
    // one entry per place where the package is, in workspaces
    const entry: unknown = Array.isArray(found) ? found[0] : found
    const [installed, wanted, latest] = ['current', 'wanted', 'latest'].map((key) => textIn(entry, key))
    if (installed === undefined || latest === undefined) return []
    return [{ name, installed, wanted: wanted ?? installed, latest }]
  })
}

function parse(result: CommandResult): object {
  const { exitCode, stdout } = result
  if (stdout.trim() === '' && exitCode === 0) return {}
  try {
    const report: unknown = JSON.parse(stdout)
    const failure: unknown =
      typeof report === 'object' && report !== null ? Reflect.get(report, 'error') : report
    if (exitCode <= 1 && textIn(failure, 'summary') === undefined) return report as object
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw commandFailed('Looking for updates failed', result)
}
