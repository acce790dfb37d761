import fs from 'node:fs'
import path from 'node:path'
import { isPackageName } from '../contract/endpoints/project/updates.ts'
import { AppError } from '../lib/errors.ts'
import { packageDirectory } from '../lib/packages/package-manager.ts'

/** A package that the project declares. */
export interface DeclaredPackage {
  readonly name: string
  /** The range or tag in package.json. */
  readonly range: string
}

/** The parts of a `package.json` that updates need. */
export interface ProjectPackage {
  /** The directory of the file, absolute. */
  readonly directory: string
  /** All declared packages by name, including those that are not from a registry. */
  readonly declared: ReadonlyMap<string, DeclaredPackage>
}

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

/**
 * Reads the `package.json` of a directory or the closest one above it.
 *
 * @throws AppError `invalid_config` if there is none or it is invalid.
 */
export function findProjectPackage(root: string): ProjectPackage {
  const directory = packageDirectory(root)
  const file = path.join(directory, 'package.json')
  if (!fs.existsSync(file))
    throw new AppError('invalid_config', 'The project has no package.json', {
      hint: 'Create one with `npm init`.',
    })
  const content = parse(fs.readFileSync(file, 'utf8'))
  const groups = GROUPS.flatMap((group) => Object.entries(objectIn(content, group)))
  const packages = groups.flatMap(([name, range]) => (typeof range === 'string' ? [{ name, range }] : []))
  return {
    directory,
    declared: new Map(packages.map((declared) => [declared.name, declared])),
  }
}

/** Whether the package is from a registry: no alias, file, link, workspace, git or other URL. */
export function isFromRegistry({ name, range }: DeclaredPackage): boolean {
  return isPackageName(name) && !/[:/\\@]|^\.|\.(?:tgz|tar|tar\.gz)$/i.test(range)
}

/** The form of a range: `^1.2.3`, `~1.2.3` or `1.2.3`. An update keeps it. */
export type RangeStyle = 'caret' | 'tilde' | 'exact'

export function styleOf({ range }: DeclaredPackage): RangeStyle {
  if (/^\s*=?v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?\s*$/.test(range)) return 'exact'
  return /^\s*~/.test(range) ? 'tilde' : 'caret'
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof content === 'object' && content !== null) return content as Record<string, unknown>
  } catch (cause) {
    throw new AppError('invalid_config', 'package.json is not valid JSON', { cause })
  }
  throw new AppError('invalid_config', 'package.json must contain an object')
}

function objectIn(content: Readonly<Record<string, unknown>>, key: string): object {
  const value = content[key]
  return typeof value === 'object' && value !== null ? value : {}
}
