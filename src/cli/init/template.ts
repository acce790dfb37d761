import fs from 'node:fs'
import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { HOME } from '../../lib/packages/own-package.ts'
import { unknownNameHint } from '../error-hints.ts'
import type { PackageJson } from './package-json.ts'

/** A project that `init` copies. */
export interface Template {
  readonly name: string
  /** One line. */
  readonly description: string
  readonly packageJson: PackageJson
  /** The other files by their path in the project, with `/` as separator. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

const ROOT = path.join(HOME, 'templates')

export const DEFAULT_TEMPLATE = 'basic'

/** What every project gets: instructions and the tools for coding agents. */
const SHARED = 'shared'

/** Stored without their dots: npm does not publish files named .gitignore, and tools would read those of this package. */
const DOTFILES: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'mcp.json': '.mcp.json' }

/** The names of all templates, the default first. */
export function templateNames(): string[] {
  const folders = fs.readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).filter((name) => fs.existsSync(packageJsonOf(name)))
  return names.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** A template's description, one line. */
export function templateDescription(name: string): string {
  return readPackageJson(name).description ?? ''
}

/** Reads a template. Throws `invalid_input` for an unknown name. */
export function readTemplate(name: string): Template {
  const names = templateNames()
  if (!names.includes(name)) {
    throw new AppError('invalid_input', `Unknown template "${name}"`, {
      hint: unknownNameHint(name, names, 'templates'),
    })
  }
  const packageJson = readPackageJson(name)
  const files = new Map(
    [SHARED, name].flatMap((from) =>
      filesIn(from).map((file) => [copiedName(file), bytesOf(from, file)] as const),
    ),
  )
  return { name, description: packageJson.description ?? '', packageJson, files }
}

function rank(name: string): number {
  return name === DEFAULT_TEMPLATE ? 0 : 1
}

function packageJsonOf(name: string): string {
  return path.join(ROOT, name, 'package.json')
}

function readPackageJson(name: string): PackageJson {
  return JSON.parse(fs.readFileSync(packageJsonOf(name), 'utf8')) as PackageJson
}

/** The template's files, without those that running it in place creates. */
function filesIn(name: string, folder = ''): string[] {
  return fs.readdirSync(path.join(ROOT, name, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return /^(?:\..*|node_modules)$/.test(entry.name) ? [] : filesIn(name, file)
    return file === 'package.json' || (entry.name.startsWith('.') && entry.name !== '.env.example')
      ? []
      : [file]
  })
}

function bytesOf(name: string, file: string): Uint8Array {
  return fs.readFileSync(path.join(ROOT, name, file))
}

function copiedName(file: string): string {
  return DOTFILES[file] ?? file
}
