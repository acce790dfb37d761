import { commandFailed } from '../run-command.ts'
import type { PackageManager } from './package-manager.ts'

/** `| zod (dev) | 3.0.0 | 3.25.1 | 4.1.0 |`: a row of the table, which is bun's only output format. */
const ROW = /^\s*[|│]\s*(\S+)(?:\s+\([a-z]+\))?\s*[|│]\s*(\d\S*)\s*[|│]\s*(\d\S*)\s*[|│]\s*(\d\S*)\s*[|│]/

export const bun: PackageManager = {
  name: 'bun',
  findVersions: async (packages, run) => {
    const result = await run('bun', ['outdated', ...packages.map(({ name }) => name)])
    if (result.exitCode !== 0) throw commandFailed('Checking for updates failed', result)
    return result.stdout.split('\n').flatMap((line) => {
      const [, name, installed, wanted, latest] = ROW.exec(line) ?? []
      if (name === undefined || installed === undefined || wanted === undefined || latest === undefined)
        return []
      return [{ name, installed, wanted, latest }]
    })
  },
  // keeps the form of each range
  installCommands: (targets) => [
    ['bun', 'update', '--latest', '--ignore-scripts', ...targets.map(({ name }) => name)],
  ],
}
