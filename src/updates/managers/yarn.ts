import { commandFailed } from '../run-command.ts'
import type { RunCommand } from '../run-command.ts'
import { jsonLines } from './json-lines.ts'
import type { PackageManager } from './package-manager.ts'
import { byStyle, textIn } from './package-manager.ts'

const MODIFIER = { caret: '--caret', tilde: '--tilde', exact: '--exact' } as const

/** Yarn 2 and later. It has no `outdated` command, so installed and published versions are compared. */
export const yarn: PackageManager = {
  name: 'yarn',
  findVersions: async (packages, run) => {
    const installed = await installedVersions(run)
    const found = packages.filter(({ name }) => installed.has(name))
    if (found.length === 0) return []
    const wanted = found.map(({ name, range }) => `${name}@${range}`)
    const result = await run('yarn', [
      'npm',
      'info',
      '--json',
      '--fields',
      'name,version,dist-tags',
      ...wanted,
    ])
    if (result.exitCode !== 0) throw commandFailed('Checking for updates failed', result)
    return jsonLines(result.stdout).flatMap((line) => {
      const [name = '', version] = [textIn(line, 'name'), textIn(line, 'version')]
      const latest = textIn(Reflect.get(line, 'dist-tags'), 'latest')
      const current = installed.get(name)
      if (current === undefined || version === undefined || latest === undefined) return []
      return [{ name, installed: current, wanted: version, latest }]
    })
  },
  installCommands: (targets) =>
    byStyle(targets).map(([style, names]) => ['yarn', 'up', '--mode=skip-build', MODIFIER[style], ...names]),
}

/** The direct dependencies in the lockfile, from lines such as `{"value":"ms@npm:2.0.0","children":{"Version":"2.0.0"}}`. */
async function installedVersions(run: RunCommand): Promise<ReadonlyMap<string, string>> {
  const result = await run('yarn', ['info', '--json'])
  if (result.exitCode !== 0) throw commandFailed('Checking for updates failed', result)
  const entries = jsonLines(result.stdout).flatMap((line) => {
    const name = /^(.+)@npm:/.exec(textIn(line, 'value') ?? '')?.[1]
    const version = textIn(Reflect.get(line, 'children'), 'Version')
    return name === undefined || version === undefined ? [] : [[name, version] as const]
  })
  return new Map(entries)
}
