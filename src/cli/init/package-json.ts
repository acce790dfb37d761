import { AppError, messageOf } from '../../lib/errors.ts'

type Dependencies = Readonly<Record<string, string>>

/** The fields of a package.json that are read. */
export interface PackageJson {
  readonly name?: string
  readonly description?: string
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
  readonly optionalDependencies?: Dependencies
  readonly peerDependencies?: Dependencies
}

const ADDED_TO = ['dependencies', 'devDependencies'] as const
const FOUND_IN = [...ADDED_TO, 'optionalDependencies', 'peerDependencies'] as const

/** A template's package.json with the project's name. */
export function newPackageJson(template: PackageJson, name: string): string {
  return `${JSON.stringify({ ...template, name }, null, 2)}\n`
}

export interface MergedPackageJson {
  /** The new text; the old one if nothing was missing. */
  readonly text: string
  readonly name: string | undefined
  /** The packages that were missing. */
  readonly added: readonly string[]
}

/**
 * Adds missing dependencies to a package.json. Order, indentation and the ranges of existing dependencies are kept.
 *
 * @throws AppError `invalid_config` if the text is not a valid package.json.
 */
export function mergePackageJson(text: string, template: PackageJson): MergedPackageJson {
  const project = parse(text)
  const present = new Set(FOUND_IN.flatMap((group) => Object.keys(project[group] ?? {})))
  const added: string[] = []
  const merged: Record<string, unknown> = { ...project }
  for (const group of ADDED_TO) {
    const missing = Object.entries(template[group] ?? {}).filter(([name]) => !present.has(name))
    if (missing.length === 0) continue
    merged[group] = withEntries(project[group] ?? {}, missing)
    added.push(...missing.map(([name]) => name))
  }
  return { text: added.length === 0 ? text : print(merged, text), name: project.name, added }
}

/** The range of a package in a package.json, in any group of dependencies. */
export function dependencyRange(text: string, name: string): string | undefined {
  const project = parse(text)
  return FOUND_IN.flatMap((group) => project[group]?.[name] ?? [])[0]
}

function parse(text: string): PackageJson {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new AppError('invalid_config', `package.json is not valid JSON: ${messageOf(cause)}`, { cause })
  }
  if (!isObject(value)) throw new AppError('invalid_config', 'package.json must contain an object')
  const wrong = FOUND_IN.find((group) => value[group] !== undefined && !isObject(value[group]))
  if (wrong !== undefined) throw new AppError('invalid_config', `package.json: ${wrong} must be an object`)
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Adds entries in alphabetical order, as package managers do, unless the project's own order differs. */
function withEntries(old: Dependencies, missing: readonly (readonly [string, string])[]): Dependencies {
  const entries = Object.entries(old)
  const isSorted = entries.every(([name], index) => index === 0 || (entries[index - 1]?.[0] ?? '') < name)
  const all = [...entries, ...missing]
  return Object.fromEntries(isSorted ? all.toSorted(([a], [b]) => (a < b ? -1 : 1)) : all)
}

/** Formats with the byte order mark, indentation and line endings of the old text. */
function print(value: unknown, old: string): string {
  const mark = old.startsWith('\uFEFF') ? '\uFEFF' : ''
  const indentation = /^\uFEFF?\s*\{\s*?\n([ \t]+)"/.exec(old)?.[1] ?? 2
  const end = /\s*$/.exec(old)?.[0] ?? ''
  const text = JSON.stringify(value, null, indentation) + end.replaceAll('\r\n', '\n')
  return mark + (old.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text)
}
