import { readOutdatedJson } from './outdated-json.ts'
import type { PackageManager } from './package-manager.ts'

export const pnpm: PackageManager = {
  name: 'pnpm',
  findVersions: async (packages, run) => {
    const names = packages.map(({ name }) => name)
    return readOutdatedJson(await run('pnpm', ['outdated', '--json', ...names]))
  },
  // keeps the form of each range
  installCommands: (targets) => [
    ['pnpm', 'update', '--latest', '--ignore-scripts', ...targets.map(({ name }) => name)],
  ],
}
