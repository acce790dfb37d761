import fs from 'node:fs'
import path from 'node:path'
import maxSatisfying from 'semver/ranges/max-satisfying.js'
import { readOutdatedJson } from './outdated-json.ts'
import type { PackageManager } from './package-manager.ts'
import { byStyle, textIn } from './package-manager.ts'

const SAVE = { caret: '--save-prefix=^', tilde: '--save-prefix=~', exact: '--save-exact' } as const

export const npm: PackageManager = {
  name: 'npm',
  findVersions: async (packages, run, directory) => {
    const names = packages.map(({ name }) => name)
    const report = await run('npm', ['outdated', '--json', '--', ...names])
    const ranges = new Map(packages.map(({ name, range }) => [name, range]))
    return readOutdatedJson(report, (entries, name) => {
      const found = entries.filter((entry) => isEntryOf(directory, entry))
      return found.find((entry) => isWantedMost(entry, found, ranges.get(name) ?? '')) ?? found[0]
    })
  },
  installCommands: (targets) =>
    byStyle(targets).map(([style, names]) => {
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', SAVE[style]]
      return ['npm', 'install', ...options, '--', ...names]
    }),
}

/**
 * Whether an entry wants the newest version that the project's range allows. It tells the project from a package of the
 * same name as its directory, which npm reports alike and in any order.
 */
function isWantedMost(entry: unknown, among: readonly unknown[], range: string): boolean {
  const wanted = among.flatMap((one) => textIn(one, 'wanted') ?? [])
  return textIn(entry, 'wanted') === maxSatisfying(wanted, range)
}

/**
 * Whether an entry is that of the project. npm also reports the packages that depend on the same package, with the
 * copy that each of them has and the version that its own range wants.
 */
function isEntryOf(directory: string, entry: unknown): boolean {
  const [dependent, location] = [textIn(entry, 'dependent'), textIn(entry, 'location')]
  if (location === undefined) return true
  // npm names a project after its directory, with the scope in which the directory is
  const isDependent = [path.basename(directory), directory.split(path.sep).slice(-2).join('/')].includes(
    dependent ?? '',
  )
  const holder = location.slice(0, location.lastIndexOf(`${path.sep}node_modules${path.sep}`))
  return isDependent && isAtOrAbove(holder, fs.realpathSync(directory))
}

function isAtOrAbove(directory: string, place: string): boolean {
  const below = path.relative(fs.realpathSync(directory), place)
  return below === '' || !(below.startsWith('..') || path.isAbsolute(below))
}
