import { commandFailed } from '../run-command.ts'
import { jsonLines } from './json-lines.ts'
import type { PackageManager } from './package-manager.ts'

/** Yarn 1. */
export const yarnClassic: PackageManager = {
  name: 'yarn',
  findVersions: async (packages, run) => {
    const result = await run('yarn', ['outdated', '--json', ...packages.map(({ name }) => name)])
    if (result.exitCode > 1) throw commandFailed('Checking for updates failed', result)
    return jsonLines(result.stdout)
      .flatMap(tableRows)
      .flatMap(([name, installed, wanted, latest]) => {
        if (name === undefined || installed === undefined || wanted === undefined || latest === undefined)
          return []
        return [{ name, installed, wanted, latest }]
      })
  },
  // keeps the form of each range
  installCommands: (targets) => [
    [
      'yarn',
      'upgrade',
      '--latest',
      '--ignore-scripts',
      '--non-interactive',
      ...targets.map(({ name }) => name),
    ],
  ],
}

/** The rows of `{type: 'table', data: {head, body}}`, with the columns in the order name, installed, wanted, latest. */
function tableRows(line: unknown): (string | undefined)[][] {
  const { type, data } = line as { type?: unknown; data?: { head?: string[]; body?: string[][] } }
  if (type !== 'table' || !Array.isArray(data?.head) || !Array.isArray(data.body)) return []
  const columns = ['Package', 'Current', 'Wanted', 'Latest'].map((title) => data.head?.indexOf(title) ?? -1)
  return data.body.map((row) => columns.map((column) => row[column]))
}
