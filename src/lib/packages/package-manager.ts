import fs from 'node:fs'
import path from 'node:path'
import { LOCKS } from 'package-manager-detector/constants'
import { detect, resolveAgent } from 'package-manager-detector/detect'
import type { Agent, AgentName } from 'package-manager-detector'
import { ancestorDirectories } from '../files/is-inside.ts'

/** Supported package managers. Of several lockfiles in one directory, that of the first one counts. */
export const PACKAGE_MANAGERS = ['pnpm', 'yarn', 'bun', 'npm'] as const

export type PackageManagerName = (typeof PACKAGE_MANAGERS)[number]

export interface DetectedPackageManager {
  readonly name: PackageManagerName
  /** For Yarn, whether it is version 1. Undefined if the version is not known. */
  readonly yarnClassic?: boolean
}

/**
 * The package manager of the project that contains a directory: the one named by `packageManager` or `devEngines` in
 * the package.json of the project or its workspace, else the one whose lockfile is there, else the one that runs
 * this process, else npm.
 */
export async function detectPackageManager(directory: string): Promise<DetectedPackageManager> {
  const places = projectDirectories(directory)
  for (const place of places) {
    const declared = await declaredIn(place)
    if (declared) return declared
  }
  const locked = places.flatMap((place) => PACKAGE_MANAGERS.filter((name) => hasLockfile(place, name)))[0]
  return (locked && { name: locked }) ?? runningPackageManager() ?? { name: 'npm' }
}

/** The directory of the project's package.json and, in a workspace, the workspace's root. */
export function projectDirectories(directory: string): readonly string[] {
  const own = packageDirectory(directory)
  const workspace = [...ancestorDirectories(own)].find((above) => isWorkspaceRoot(above))
  return workspace === undefined || workspace === own ? [own] : [own, workspace]
}

/** The directory itself, or the closest one above it, that has a `package.json`. */
export function packageDirectory(directory: string): string {
  return [...ancestorDirectories(directory)].find((above) => hasFile(above, 'package.json')) ?? directory
}

/** The names of the lockfiles that a package manager writes. */
export function lockfilesOf(name: PackageManagerName): readonly string[] {
  const files = Object.keys(LOCKS).filter((file) => LOCKS[file] === name)
  return files.filter((file) => file !== 'pnpm-workspace.yaml')
}

/** The command that adds packages to the project in a directory. */
export async function addCommand(directory: string, ...packages: readonly string[]): Promise<string> {
  const { name } = await detectPackageManager(directory)
  return [name, name === 'npm' ? 'install' : 'add', ...packages].join(' ')
}

interface FoundAgent {
  readonly name: AgentName
  readonly agent: Agent
  readonly version?: string | undefined
}

async function declaredIn(directory: string): Promise<DetectedPackageManager | undefined> {
  const strategies = ['packageManager-field', 'devEngines-field'] as const
  const options = { cwd: directory, stopDir: directory, strategies: [...strategies] }
  return supported((await detect({ ...options, packageJsonParser: parsePackageJson })) ?? undefined)
}

/** Reads a user agent such as `pnpm/10.1.0 npm/? node/v24.0.0 linux x64`. */
function runningPackageManager(): DetectedPackageManager | undefined {
  const [name = '', version] = (process.env['npm_config_user_agent'] ?? '').split(/[/ ]/)
  return supported(resolveAgent(name as AgentName, version))
}

function supported(found: FoundAgent | undefined): DetectedPackageManager | undefined {
  const name = PACKAGE_MANAGERS.find((one) => one === found?.name)
  if (found === undefined || name === undefined) return undefined
  const knowsVersion = name === 'yarn' && found.version !== undefined
  return knowsVersion ? { name, yarnClassic: found.agent === 'yarn' } : { name }
}

function hasLockfile(directory: string, name: PackageManagerName): boolean {
  return lockfilesOf(name).some((file) => hasFile(directory, file))
}

function isWorkspaceRoot(directory: string): boolean {
  if (hasFile(directory, 'pnpm-workspace.yaml')) return true
  try {
    const content = fs.readFileSync(path.join(directory, 'package.json'), 'utf8')
    return parsePackageJson(content)?.['workspaces'] !== undefined
  } catch {
    // missing or unreadable: other directories and lockfiles decide
    return false
  }
}

function parsePackageJson(content: string): Readonly<Record<string, unknown>> | undefined {
  const parsed: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined
}

function hasFile(directory: string, name: string): boolean {
  return fs.statSync(path.join(directory, name), { throwIfNoEntry: false })?.isFile() ?? false
}
