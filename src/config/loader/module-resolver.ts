import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ResolverFactory } from 'oxc-resolver'
import type { NapiResolveOptions, ResolveResult } from 'oxc-resolver'
import fs from 'node:fs'

/** A resolved specifier. */
export type ResolvedModule =
  /** A file of the project or of a linked workspace package. Part of the graph and reloaded. */
  | { readonly kind: 'local'; readonly file: string }
  /** A package or builtin module, loaded once by Node. `commonJs` for a CommonJS file. */
  | { readonly kind: 'native'; readonly url: string; readonly commonJs: boolean }
  /** A JSON file of a package. */
  | { readonly kind: 'data'; readonly file: string }

export type NativeModule = Extract<ResolvedModule, { kind: 'native' }>

/** Maps specifiers to URLs. A pattern has one `*` on both sides. */
export type ModuleAlias = Readonly<Record<string, string>>

export type ImportKind = 'import' | 'require'

export interface ModuleResolverOptions {
  readonly root: string
  readonly alias: ModuleAlias
  /** Export conditions. Default: those of the running Node, including `--conditions`. */
  readonly conditions?: readonly string[]
}

/** The specifier does not resolve to a file, or tsconfig.json is not readable. */
export class UnresolvedError extends Error {
  override readonly name = 'UnresolvedError'
}

const CODE = /\.[cm]?[jt]sx?$/
const TYPESCRIPT = /\.[cm]?tsx?$/

const LOCAL: NapiResolveOptions = {
  tsconfig: 'auto',
  mainFields: ['main'],
  extensions: ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs', '.cts', '.json'],
  extensionAlias: {
    '.js': ['.ts', '.tsx', '.js'],
    '.jsx': ['.tsx', '.jsx'],
    '.mjs': ['.mts', '.mjs'],
    '.cjs': ['.cts', '.cjs'],
  },
}

/** In packages, TypeScript sources beside the built files must not be used. */
const PACKAGE: NapiResolveOptions = {
  mainFields: ['main'],
  extensions: ['.js', '.mjs', '.cjs', '.json', '.node'],
}

/** Resolves specifiers by the rules of TypeScript and Node. */
export class ModuleResolver {
  readonly #root: string
  readonly #alias: ModuleAlias
  readonly #local: Record<ImportKind, ResolverFactory>
  readonly #package: Record<ImportKind, ResolverFactory>
  readonly #scopes = new PackageScopes()

  constructor({ root, alias, conditions = runtimeConditions() }: ModuleResolverOptions) {
    this.#root = root
    this.#alias = alias
    const both = (options: NapiResolveOptions): Record<ImportKind, ResolverFactory> => ({
      import: new ResolverFactory({ ...options, conditionNames: ['import', ...conditions] }),
      require: new ResolverFactory({ ...options, conditionNames: ['require', ...conditions] }),
    })
    this.#local = both(LOCAL)
    this.#package = both(PACKAGE)
  }

  /** Throws UnresolvedError. */
  resolve(specifier: string, from: string, kind: ImportKind = 'import'): ResolvedModule {
    const url = this.#aliased(specifier) ?? (isUrl(specifier) ? specifier : undefined)
    if (url?.startsWith('file:') === true && specifier === url) return this.#fromFileUrl(url)
    if (url !== undefined || isBuiltin(specifier))
      return { kind: 'native', url: url ?? specifier, commonJs: false }
    // the compiler's helpers are a dependency of this package, not of the project
    const origin = specifier.startsWith('@oxc-project/runtime/') ? fileURLToPath(import.meta.url) : from
    const found = this.#local[kind].resolveFileSync(origin, specifier)
    if (found.path === undefined)
      throw new UnresolvedError(found.error ?? `Cannot find module '${specifier}'`)
    if (!this.#inPackage(found.path)) return this.#fromProject(found.path)
    return this.#fromPackage(this.#package[kind].resolveFileSync(origin, specifier), found.path)
  }

  resolves(specifier: string, from: string): boolean {
    try {
      this.resolve(specifier, from)
      return true
    } catch (error) {
      if (error instanceof UnresolvedError) return false
      throw error
    }
  }

  /** Whether Node runs the file as an ES module. */
  isModule(file: string): boolean {
    return this.#scopes.isModule(file)
  }

  /** Clears the caches, because files may have been added, moved or removed. */
  clear(): void {
    this.#scopes.clear()
    for (const resolver of [...Object.values(this.#local), ...Object.values(this.#package)])
      resolver.clearCache()
  }

  #aliased(specifier: string): string | undefined {
    const exact = this.#alias[specifier]
    if (exact !== undefined) return exact
    for (const [pattern, target] of Object.entries(this.#alias)) {
      const [prefix = '', suffix] = pattern.split('*')
      if (suffix === undefined || !specifier.startsWith(prefix) || !specifier.endsWith(suffix)) continue
      const end = specifier.length - suffix.length
      if (end > prefix.length) return target.replace('*', () => specifier.slice(prefix.length, end))
    }
    return undefined
  }

  #fromFileUrl(url: string): ResolvedModule {
    const file = fileURLToPath(url)
    return this.#inPackage(file) ? this.#native(file) : this.#fromProject(file)
  }

  #fromProject(file: string): ResolvedModule {
    return CODE.test(file) || file.endsWith('.json') ? { kind: 'local', file } : this.#native(file)
  }

  #fromPackage({ path: file }: ResolveResult, asSource: string): ResolvedModule {
    const chosen = file ?? asSource
    if (chosen.endsWith('.json')) return { kind: 'data', file: chosen }
    // Node rejects TypeScript in node_modules, so such a package is loaded like a file of the project
    return TYPESCRIPT.test(chosen) ? { kind: 'local', file: chosen } : this.#native(chosen)
  }

  #native(file: string): ResolvedModule {
    return { kind: 'native', url: pathToFileURL(file).href, commonJs: !this.#scopes.isModule(file) }
  }

  /** Whether a file is in a package. The project itself may be inside a node_modules directory. */
  #inPackage(file: string): boolean {
    const inside = path.relative(this.#root, file)
    const outside = inside.startsWith('..') || path.isAbsolute(inside)
    return (outside ? file : inside).split(path.sep).includes('node_modules')
  }
}

function isUrl(specifier: string): boolean {
  return /^(?:node|data|file|https?):/.test(specifier)
}

function runtimeConditions(): string[] {
  const own = ['node', 'node-addons']
  if (Reflect.get(process.features, 'require_module')) own.push('module-sync')
  const flags = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  flags.forEach((flag, index) => {
    const inline = /^(?:-C|--conditions)=(.+)$/.exec(flag)?.[1]
    const apart = flag === '-C' || flag === '--conditions' ? flags[index + 1] : undefined
    const name = inline ?? apart
    if (name !== undefined) own.push(name)
  })
  return own
}

/** Determines which files Node treats as ES modules. */
class PackageScopes {
  readonly #byDirectory = new Map<string, boolean>()

  clear(): void {
    this.#byDirectory.clear()
  }

  isModule(file: string): boolean {
    if (/\.m[jt]sx?$/.test(file)) return true
    if (/\.c[jt]sx?$/.test(file)) return false
    return this.#isModuleDirectory(path.dirname(file))
  }

  #isModuleDirectory(directory: string): boolean {
    const known = this.#byDirectory.get(directory)
    if (known !== undefined) return known
    // a package without package.json does not inherit the type of the enclosing project
    if (path.basename(directory) === 'node_modules') return false
    const parent = path.dirname(directory)
    const declared = typeField(path.join(directory, 'package.json'))
    const isModule = declared ?? (parent === directory ? false : this.#isModuleDirectory(parent))
    this.#byDirectory.set(directory, isModule)
    return isModule
  }
}

/** Undefined without a package.json: the parent directory decides. */
function typeField(packageFile: string): boolean | undefined {
  try {
    const parsed: unknown = JSON.parse(fs.readFileSync(packageFile, 'utf8'))
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed && parsed.type === 'module'
  } catch (error) {
    // an unreadable package.json has no type; resolution reports the error
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : false
  }
}
