import fs from 'node:fs'
import path from 'node:path'
import { upwards } from '../files/ancestor-directories.ts'

/** What they lock versions with, in the order in which it is looked for where several lie side by side. */
export const LOCKFILES = {
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
} as const

export type PackageManagerName = keyof typeof LOCKFILES

export interface ChosenPackageManager {
  readonly name: PackageManagerName
  /** As `10.1.0`, where something tells. */
  readonly version?: string
}

/**
 * The package manager of the project that a directory is in: the one that `packageManager` names, else the one whose
 * lockfile is there, else the one that runs this process, else npm.
 */
export function packageManagerOf(directory: string, env = process.env): ChosenPackageManager {
  const places = projectPlaces(directory)
  return firstOf(places, named) ?? firstOf(places, locked) ?? running(env) ?? { name: 'npm' }
}

/** Where the project's package.json is, and the root of the workspace it is part of. */
export function projectPlaces(directory: string): readonly string[] {
  const own = packageDirectory(directory)
  const workspace = [...upwards(own)].find(
    (above) => packageJson(above)['workspaces'] !== undefined || hasFile(above, 'pnpm-workspace.yaml'),
  )
  return workspace === undefined || workspace === own ? [own] : [own, workspace]
}

/** The directory itself, or the closest one above it, that has a `package.json`. */
export function packageDirectory(directory: string): string {
  return [...upwards(directory)].find((above) => hasFile(above, 'package.json')) ?? directory
}

/** The command that adds packages to the project in a directory. */
export function addCommand(directory: string, ...packages: readonly string[]): string {
  const { name } = packageManagerOf(directory)
  return [name, name === 'npm' ? 'install' : 'add', ...packages].join(' ')
}

function firstOf<T>(places: readonly string[], look: (place: string) => T | undefined): T | undefined {
  return places.map((place) => look(place)).find((found) => found !== undefined)
}

function named(directory: string): ChosenPackageManager | undefined {
  const { packageManager } = packageJson(directory)
  return typeof packageManager === 'string' ? parsed(packageManager.split('@')) : undefined
}

function locked(directory: string): ChosenPackageManager | undefined {
  const name = NAMES.find((one) => LOCKFILES[one].some((file) => hasFile(directory, file)))
  return name && { name }
}

/** As `pnpm/10.1.0 npm/? node/v24.0.0 linux x64`. */
function running(env: NodeJS.ProcessEnv): ChosenPackageManager | undefined {
  const [agent = ''] = (env['npm_config_user_agent'] ?? '').split(' ')
  return parsed(agent.split('/'))
}

const NAMES = Object.keys(LOCKFILES) as PackageManagerName[]

function parsed([first, version]: readonly string[]): ChosenPackageManager | undefined {
  const name = NAMES.find((one) => one === first)
  return name && version !== undefined ? { name, version } : undefined
}

function packageJson(directory: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(
      fs.readFileSync(path.join(directory, 'package.json'), 'utf8').replace(/^\uFEFF/, ''),
    )
    return typeof content === 'object' && content !== null ? { ...content } : {}
  } catch {
    // none is there, or none that can be read: lockfiles tell
    return {}
  }
}

function hasFile(directory: string, name: string): boolean {
  return fs.statSync(path.join(directory, name), { throwIfNoEntry: false })?.isFile() ?? false
}
