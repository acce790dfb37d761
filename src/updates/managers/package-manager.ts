import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import type { DeclaredPackage, RangeStyle } from '../project-package.ts'
import type { RunCommand } from '../run-command.ts'

/** Versions of an installed package. */
export interface PackageVersions {
  readonly name: string
  readonly installed: string
  /** The latest version in the declared range. */
  readonly wanted: string
  readonly latest: string
}

/** A package to update to its latest version. */
export interface InstallTarget {
  readonly name: string
  readonly style: RangeStyle
}

/** The commands of one package manager. */
export interface PackageManager {
  readonly name: PackageManagerName
  /**
   * Finds the versions of packages of the project in a directory. Packages that are up to date or not installed may be
   * omitted.
   */
  findVersions(
    packages: readonly DeclaredPackage[],
    run: RunCommand,
    directory: string,
  ): Promise<PackageVersions[]>
  /** The commands that install the latest versions without install scripts, to run in order. */
  installCommands(
    targets: readonly InstallTarget[],
  ): readonly (readonly [command: string, ...args: string[]])[]
}

/** Groups the targets by the form of their ranges, for package managers that use one form per command. */
export function byStyle(
  targets: readonly InstallTarget[],
): readonly (readonly [RangeStyle, readonly string[]])[] {
  const styles = ['caret', 'tilde', 'exact'] as const
  return styles
    .map((style) => [style, targets.filter((target) => target.style === style).map(latestOf)] as const)
    .filter(([, names]) => names.length > 0)
}

/** Such as `zod@latest`. */
function latestOf({ name }: InstallTarget): string {
  return `${name}@latest`
}

/** A string field of untrusted JSON. Undefined if it is not a string. */
export function textIn(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, key)
  return typeof field === 'string' ? field : undefined
}
