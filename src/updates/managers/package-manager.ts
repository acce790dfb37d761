import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import type { DeclaredPackage, RangeStyle } from '../project-package.ts'
import type { RunCommand } from '../run-command.ts'

/** Versions of an installed package. */
export interface PackageVersions {
  readonly name: string
  readonly installed: string
  /** The newest version that the declared range allows. */
  readonly wanted: string
  readonly latest: string
}

/** A package whose latest version is to be installed. */
export interface InstallTarget {
  readonly name: string
  readonly style: RangeStyle
}

/** What one package manager does in its own way. */
export interface PackageManager {
  readonly name: PackageManagerName
  /** Asks for the versions of packages. One that is up to date, or is not installed, may be left out. */
  findVersions(packages: readonly DeclaredPackage[], run: RunCommand): Promise<PackageVersions[]>
  /** The commands that install the latest versions, one after the other, without install scripts. */
  installCommands(
    targets: readonly InstallTarget[],
  ): readonly (readonly [command: string, ...args: string[]])[]
}

/** The targets by how their ranges are written, for tools that write all of one command in the same way. */
export function byStyle(
  targets: readonly InstallTarget[],
): readonly (readonly [RangeStyle, readonly string[]])[] {
  const styles = ['caret', 'tilde', 'exact'] as const
  return styles
    .map((style) => [style, targets.filter((target) => target.style === style).map(latestOf)] as const)
    .filter(([, names]) => names.length > 0)
}

/** As `zod@latest`. */
function latestOf({ name }: InstallTarget): string {
  return `${name}@latest`
}

/** A field of JSON that came from outside; undefined unless it is a text. */
export function textIn(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, key)
  return typeof field === 'string' ? field : undefined
}
