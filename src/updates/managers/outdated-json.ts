import { commandFailed } from '../run-command.ts'
import type { CommandResult } from '../run-command.ts'
import type { PackageVersions } from './package-manager.ts'
import { textIn } from './package-manager.ts'

/**
 * Parses the output of `npm outdated --json` and `pnpm outdated --json`: an object with an entry per package, or an
 * array with one per dependent. `choose` selects the entry of the project. Their exit code is 1 if there are updates.
 */
export function readOutdatedJson(
  result: CommandResult,
  choose: (entries: readonly unknown[], name: string) => unknown = ([first]) => first,
): PackageVersions[] {
  const report = parse(result)
  return Object.entries(report).flatMap(([name, found]: [string, unknown]) => {
    const entry = choose([found].flat(), name)
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
  throw commandFailed('Checking for updates failed', result)
}
