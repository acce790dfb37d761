import fs from 'node:fs'
import path from 'node:path'
import { createRequire, builtinModules } from 'node:module'
import lessThan from 'semver/functions/lt.js'
import minVersion from 'semver/ranges/min-version.js'
import validRange from 'semver/ranges/valid.js'
import { AppError } from '../../lib/errors.ts'
import { OWN_PACKAGE } from '../../lib/packages/own-package.ts'
import type { ModelKey } from './model-key.ts'
import type { OwnDependency } from './own-dependency.ts'
import { mergePackageJson, newPackageJson, dependencyRange } from './package-json.ts'
import type { Template } from './template.ts'
import { randomBytes } from 'node:crypto'

const FALLBACK = 'my-agentserver'
const MAX_LENGTH = 214
/** Names that npm rejects. */
const RESERVED = new Set(['node_modules', 'favicon.ico', ...builtinModules])

/**
 * Derives a valid package name from a directory's name. It differs from all `dependencies`, because a package can't
 * depend on itself.
 */
export function packageNameFor(directory: string, dependencies: readonly string[]): string {
  const name = path
    .basename(directory)
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_LENGTH)
  if (name === '') return FALLBACK
  return RESERVED.has(name) || dependencies.includes(name) ? `${name}-app` : name
}

interface GeneratedSecrets {
  /** The text of `.env`, with the secrets at its end. */
  readonly text: string
  /** The variables that were added. */
  readonly names: readonly string[]
}

/**
 * Adds random values to the text of a `.env`: one for each variable that has an empty value in `.env.example` and none
 * in `.env`.
 */
export function generateSecrets(example: string, old = ''): GeneratedSecrets {
  const wanted = [...example.matchAll(/^([A-Z][A-Z0-9_]*)=[ \t]*$/gm)].map(([, name = '']) => name)
  const names = wanted.filter((name) => !hasValue(old, name))
  const lines = names.map((name) => `${name}=${randomBytes(32).toString('hex')}\n`)
  const before = old === '' || old.endsWith('\n') ? old : `${old}\n`
  return { text: before + lines.join(''), names }
}

/** Whether the text of a `.env` gives a variable a value. */
function hasValue(text: string, name: string): boolean {
  return new RegExp(`^\\s*(?:export\\s+)?${name}[ \\t]*=[ \\t]*\\S`, 'm').test(text)
}

/** A file to write. */
export interface PlannedFile {
  /** Relative to the project; folders are separated by `/`. */
  readonly name: string
  readonly bytes: Uint8Array
  /** Whether a file of that name exists. */
  readonly replaces: boolean
  /** Whether it has secrets, so that only its owner may read it. */
  readonly secret?: boolean
}

/** The changes that create a project in a directory. Planning does not write anything. */
export interface ProjectPlan {
  /** Absolute. */
  readonly directory: string
  readonly packageName: string
  /** Whether the directory already has a package.json. */
  readonly joins: boolean
  readonly files: readonly PlannedFile[]
  /** Existing files with other content, which would be overwritten. */
  readonly conflicts: readonly string[]
  /** Existing files of the project that are kept instead of the template's. */
  readonly kept: readonly string[]
  /** Packages that are added to package.json. */
  readonly dependencies: readonly string[]
  /** The variables that get random values in `.env`. */
  readonly secrets: readonly string[]
  /** The variable of `.env` that gets the model key. */
  readonly keyVariable: string | undefined
  /** The file of agentserver that is put into the project. */
  readonly tarball: string | undefined
}

/** Files that an existing project keeps. */
const OWN_FILES = new Set([
  'AGENTS.md',
  'README.md',
  'tsconfig.json',
  '.gitignore',
  '.env.example',
  '.mcp.json',
])

export interface ProjectPlanOptions {
  /** The agentserver that the project depends on. */
  readonly own: OwnDependency
  readonly modelKey: ModelKey | undefined
}

/**
 * Plans how a template is copied into a directory.
 *
 * @throws AppError `invalid_input` if a file or directory can't be created there, for a zod that is too old, or for a
 *   model key when `.env` has one; `invalid_config` for an invalid package.json.
 */
export function planProject(directory: string, original: Template, options: ProjectPlanOptions): ProjectPlan {
  const { own, modelKey } = options
  assertDirectory(directory)
  const old = readText(path.join(directory, 'package.json'))
  const fitting = old === undefined ? original : withFittingZod(original, directory, old)
  const template = withDependencies(fitting, options)
  const packageJson = old === undefined ? createdPackageJson(directory, template) : mergedInto(old, template)
  const files = [...template.files].flatMap(([name, bytes]) => planFile(directory, name, bytes))
  const isKept = ({ name, replaces }: PlannedFile) => old !== undefined && replaces && OWN_FILES.has(name)
  const written = files.filter((file) => !isKept(file))
  const env = planEnv(directory, template, modelKey)
  const { tarball } = own
  const needsTarball = tarball !== undefined && packageJson.added.includes('agentserver')
  return {
    directory,
    joins: old !== undefined,
    packageName: packageJson.name,
    dependencies: packageJson.added,
    secrets: env.names,
    keyVariable: modelKey?.variable,
    tarball: needsTarball ? tarball.name : undefined,
    files: [
      ...written,
      ...packageJson.files,
      ...env.files,
      ...(needsTarball ? planFile(directory, tarball.name, tarball.bytes) : []),
    ],
    conflicts: written.filter(({ replaces }) => replaces).map(({ name }) => name),
    kept: files.filter((file) => isKept(file)).map(({ name }) => name),
  }
}

function withDependencies(template: Template, { own, modelKey }: ProjectPlanOptions): Template {
  const { packageJson } = template
  const name = modelKey?.package
  const ofKey = name === undefined ? {} : { [name]: rangeOf(name) }
  const all = { ...packageJson.dependencies, agentserver: own.range, ...ofKey }
  const dependencies = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...template, packageJson: { ...packageJson, dependencies } }
}

/** The oldest major version of a provider's package that this package works with: that of the `ai` in the templates. */
function rangeOf(name: string): string {
  const ranges: Readonly<Record<string, string>> = OWN_PACKAGE.peerDependencies
  return (ranges[name] ?? '*').split(' ')[0] ?? '*'
}

/** The project's `.env`, if it needs secrets that it does not have yet, or gets the key of a model. */
function planEnv(
  directory: string,
  { files }: Template,
  modelKey: ModelKey | undefined,
): { names: readonly string[]; files: PlannedFile[] } {
  const bytesBefore = readIfPresent(path.join(directory, '.env'))
  const before = bytesBefore && new TextDecoder().decode(bytesBefore)
  const example = new TextDecoder().decode(files.get('.env.example'))
  const { text, names } = generateSecrets(example, before)
  if (modelKey !== undefined && hasValue(text, modelKey.variable))
    throw new AppError('invalid_input', `.env already has a value for ${modelKey.variable}`, {
      hint: 'No files were written. Change it there.',
    })
  const key = modelKey === undefined ? '' : `${modelKey.variable}=${modelKey.value}\n`
  const bytes = new TextEncoder().encode(text + key)
  const isUnchanged = names.length === 0 && key === ''
  const file = { name: '.env', bytes, replaces: before !== undefined, secret: true }
  return { names, files: isUnchanged ? [] : [file] }
}

interface PlannedPackageJson {
  readonly name: string
  readonly added: readonly string[]
  readonly files: readonly PlannedFile[]
}

function createdPackageJson(directory: string, { packageJson }: Template): PlannedPackageJson {
  const { dependencies = {}, devDependencies = {} } = packageJson
  const added = [...Object.keys(dependencies), ...Object.keys(devDependencies)]
  const name = packageNameFor(directory, added)
  return { name, added, files: [packageJsonFile(newPackageJson(packageJson, name), { replaces: false })] }
}

function mergedInto(old: string, { packageJson }: Template): PlannedPackageJson {
  const { text, name = '', added } = mergePackageJson(old, packageJson)
  return { name, added, files: added.length === 0 ? [] : [packageJsonFile(text, { replaces: true })] }
}

function packageJsonFile(text: string, { replaces }: { replaces: boolean }): PlannedFile {
  return { name: 'package.json', bytes: new TextEncoder().encode(text), replaces }
}

/** Empty if the file exists with the same content. */
function planFile(directory: string, name: string, bytes: Uint8Array): PlannedFile[] {
  const file = path.join(directory, name)
  assertDirectory(path.dirname(file))
  const old = readIfPresent(file)
  if (old !== undefined && Buffer.compare(old, bytes) === 0) return []
  return [{ name, bytes, replaces: old !== undefined }]
}

/** The file's content; empty for a dangling symbolic link. */
function readIfPresent(file: string): Uint8Array | undefined {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return undefined
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  if (!stats) return new Uint8Array()
  if (!stats.isFile()) throw new AppError('invalid_input', `${file} exists and is not a file`)
  return fs.readFileSync(file)
}

/** The file's text with its byte order mark. */
function readText(file: string): string | undefined {
  const bytes = readIfPresent(file)
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Checks that the existing part of a path consists of directories. @throws AppError `invalid_input` */
export function assertDirectory(directory: string): void {
  for (let place = directory; ; place = path.dirname(place)) {
    const stats = statOf(place)
    if (stats?.isDirectory() === true) return
    if (stats) throw new AppError('invalid_input', `${place} exists and is not a directory`)
    if (place === path.dirname(place)) throw new AppError('invalid_input', `Directory not found: ${place}`)
  }
}

/** Undefined for a path that does not exist, also below a file. */
function statOf(place: string): fs.Stats | undefined {
  try {
    return fs.statSync(place, { throwIfNoEntry: false }) ?? fs.lstatSync(place, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The oldest version that has `zod/v4`. */
const OLDEST = '3.25.0'

/**
 * A template with the import of zod that fits an existing project. Templates are written for zod 4; zod 3.25 has the
 * same functions in `zod/v4`.
 *
 * @throws AppError `invalid_input` if the installed zod has neither.
 */
function withFittingZod(template: Template, directory: string, packageJson: string): Template {
  const range = dependencyRange(packageJson, 'zod')
  if (range === undefined) return template
  const installed = installedZod(directory)
  if (installed !== undefined && lessThan(installed, OLDEST)) {
    throw new AppError('invalid_input', `The project has zod ${installed}; templates require zod 3.25 or 4`, {
      hint: 'No files were written. Update zod first; zod 3.25.76 is compatible with earlier releases of zod 3.',
    })
  }
  // zod 4 has zod/v4 as well, so that it fits when the version is not known
  const version = installed ?? (validRange(range) === null ? undefined : minVersion(range)?.version)
  if (version !== undefined && !lessThan(version, '4.0.0')) return template
  const files = [...template.files].map(
    ([name, bytes]) => [name, name.endsWith('.ts') ? importingV4(bytes) : bytes] as const,
  )
  return { ...template, files: new Map(files) }
}

function importingV4(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes)
  return new TextEncoder().encode(text.replaceAll(/ from 'zod'$/gm, " from 'zod/v4'"))
}

/** The version that the project's imports find. */
function installedZod(directory: string): string | undefined {
  try {
    const file = createRequire(path.join(directory, 'package.json')).resolve('zod/package.json')
    return (JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly version: string }).version
  } catch {
    // not installed yet: the range decides
    return undefined
  }
}
