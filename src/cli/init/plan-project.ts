import fs from 'node:fs'
import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { mergePackageJson, newPackageJson } from './package-json.ts'
import { packageNameFor } from './package-name.ts'
import type { Template } from './template.ts'

/** A file to be written. */
export interface PlannedFile {
  /** Relative to the project; folders are separated by `/`. */
  readonly name: string
  readonly bytes: Uint8Array
  /** Whether something of that name is there. */
  readonly replaces: boolean
}

/** What has to be done to a directory to make it a project. Nothing is done yet. */
export interface ProjectPlan {
  /** Absolute. */
  readonly directory: string
  readonly packageName: string
  /** Whether the directory is a project that has a package.json. */
  readonly joins: boolean
  readonly files: readonly PlannedFile[]
  /** Files that are there, differ, and would be overwritten. */
  readonly conflicts: readonly string[]
  /** Files of the project that stay as they are, instead of the template's. */
  readonly kept: readonly string[]
  /** Packages that package.json gets. */
  readonly dependencies: readonly string[]
}

/** What a project has of its own, whatever is added to it. */
const OWN_FILES = new Set(['README.md', 'tsconfig.json', '.gitignore', '.env.example'])

/**
 * Plans how a template is copied into a directory.
 *
 * @throws AppError `invalid_input` when there can be no project at this place; `invalid_config` when its
 *   package.json can't be read.
 */
export function planProject(directory: string, template: Template): ProjectPlan {
  assertDirectory(directory)
  const old = readIfThere(path.join(directory, 'package.json'))
  const packageJson = old === undefined ? createdPackageJson(directory, template) : mergedInto(old, template)
  const files = [...template.files].flatMap(([name, bytes]) => planFile(directory, name, bytes))
  const isKept = ({ name, replaces }: PlannedFile) => old !== undefined && replaces && OWN_FILES.has(name)
  const written = files.filter((file) => !isKept(file))
  return {
    directory,
    joins: old !== undefined,
    packageName: packageJson.name,
    dependencies: packageJson.added,
    files: [...written, ...packageJson.files],
    conflicts: written.filter(({ replaces }) => replaces).map(({ name }) => name),
    kept: files.filter((file) => isKept(file)).map(({ name }) => name),
  }
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

function mergedInto(old: Uint8Array, { packageJson }: Template): PlannedPackageJson {
  const {
    text,
    name = '',
    added,
  } = mergePackageJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(old), packageJson)
  return { name, added, files: added.length === 0 ? [] : [packageJsonFile(text, { replaces: true })] }
}

function packageJsonFile(text: string, { replaces }: { replaces: boolean }): PlannedFile {
  return { name: 'package.json', bytes: new TextEncoder().encode(text), replaces }
}

/** Nothing, where the same file is there. */
function planFile(directory: string, name: string, bytes: Uint8Array): PlannedFile[] {
  const file = path.join(directory, name)
  assertDirectory(path.dirname(file))
  const old = readIfThere(file)
  if (old !== undefined && Buffer.compare(old, bytes) === 0) return []
  return [{ name, bytes, replaces: old !== undefined }]
}

/** The file's content; empty for a symbolic link that leads nowhere. */
function readIfThere(file: string): Uint8Array | undefined {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return undefined
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  if (!stats) return new Uint8Array()
  if (!stats.isFile()) throw new AppError('invalid_input', `${file} is in the way: it is not a file`)
  return fs.readFileSync(file)
}

/** What is there, up to the root, has to be directories. */
function assertDirectory(directory: string): void {
  for (let place = directory; ; place = path.dirname(place)) {
    const stats = statOf(place)
    if (stats?.isDirectory() === true) return
    if (stats) throw new AppError('invalid_input', `${place} is in the way: it is not a directory`)
    if (place === path.dirname(place)) throw new AppError('invalid_input', `There is no ${place}`)
  }
}

/** Below a file there is nothing. */
function statOf(place: string): fs.Stats | undefined {
  try {
    return fs.statSync(place, { throwIfNoEntry: false }) ?? fs.lstatSync(place, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
