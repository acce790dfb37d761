import { readOutdatedJson } from './outdated-json.ts'
import type { PackageManager } from './package-manager.ts'
import { byStyle } from './package-manager.ts'

const SAVE = { caret: '--save-prefix=^', tilde: '--save-prefix=~', exact: '--save-exact' } as const

export const npm: PackageManager = {
  name: 'npm',
  findVersions: async (packages, run) => {
    const names = packages.map(({ name }) => name)
    return readOutdatedJson(await run('npm', ['outdated', '--json', '--', ...names]))
  },
  installCommands: (targets) =>
    byStyle(targets).map(([style, names]) => {
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', SAVE[style]]
      return ['npm', 'install', ...options, '--', ...names]
    }),
}
