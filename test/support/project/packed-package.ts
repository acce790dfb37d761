import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

export function readManifest(directory: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8')) as Manifest
}

/**
 * Packs the built package with npm and unpacks it into `node_modules` of a directory, next to links to the packages
 * it needs at run time. Returns the directory of the package.
 */
export async function installPackedPackage(directory: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', directory]
  const packed = await execa('npm', args, { cwd: REPOSITORY })
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  const home = path.join(directory, 'node_modules/agentserver')
  fs.mkdirSync(home, { recursive: true })
  await execa('tar', ['-xzf', filename, '--strip-components=1', '-C', home], { cwd: directory })
  const { dependencies, optionalDependencies, peerDependencies } = readManifest(home)
  linkPackages(directory, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
  return home
}

/** Links packages of the repository's node_modules into `node_modules` of a directory; skips those not installed. */
export function linkPackages(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const from = path.join(REPOSITORY, 'node_modules', name)
    const to = path.join(directory, 'node_modules', name)
    fs.mkdirSync(path.dirname(to), { recursive: true })
    if (fs.existsSync(from) && !fs.existsSync(to)) fs.symlinkSync(from, to, 'junction')
  }
}
