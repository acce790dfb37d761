import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CompiledModule } from './compile/module-compiler.ts'
import type { ModuleRecord } from './module-record.ts'
import { exportAll, exportCommonJs } from './namespace.ts'

/** The imports of one module, as its code uses them. */
export interface ModuleLinks {
  readonly import: (specifier: string, names: readonly string[]) => Promise<unknown>
  readonly importNow: (specifier: string, names: readonly string[]) => unknown
  readonly importLater: (specifier: unknown) => Promise<unknown>
  readonly require: (specifier: string) => unknown
  readonly resolveUrl: (specifier: string) => string
  /** Undefined if `specifier` is not a file of the project. */
  readonly resolveLocal: (specifier: string) => string | undefined
}

interface CommonJsModule {
  exports: unknown
  readonly id: string
  readonly filename: string
  loaded: boolean
}

interface ImportDetails {
  readonly importedNames?: readonly string[]
}

/** Runs an ES module. Resolves after its top-level awaits. */
export async function runModule(
  record: ModuleRecord,
  compiled: CompiledModule,
  links: ModuleLinks,
): Promise<void> {
  const importer = (specifier: string, details?: ImportDetails) =>
    links.import(specifier, details?.importedNames ?? [])
  const { run, finish } = prepare(record, links)
  await run(compiled.script.runInThisContext(), importer)
  finish()
}

/** Runs an ES module that is loaded by `require()`. */
export function runRequiredModule(record: ModuleRecord, compiled: CompiledModule, links: ModuleLinks): void {
  const importer = (specifier: string, details?: ImportDetails) =>
    links.importNow(specifier, details?.importedNames ?? [])
  const { run, finish } = prepare(record, links)
  void run(compiled.requiredScript().runInThisContext(), importer)
  finish()
}

type ModuleWrapper = (
  filename: string,
  dirname: string,
  require: NodeJS.Require,
  module: CommonJsModule,
  exports: unknown,
) => (
  importer: (specifier: string, details?: ImportDetails) => unknown,
  importLater: (specifier: unknown) => Promise<unknown>,
  exports: ModuleRecord['namespace'],
  exportAll: (source: unknown) => void,
  meta: ImportMeta,
) => unknown

function prepare(record: ModuleRecord, links: ModuleLinks) {
  const { file, namespace } = record
  const module = commonJsModule(file)
  const untouched = module.exports as object
  return {
    run: (wrapper: unknown, importer: Parameters<ReturnType<ModuleWrapper>>[0]): unknown => {
      const require = requireFor(file, links)
      const body = (wrapper as ModuleWrapper)(file, path.dirname(file), require, module, untouched)
      const all = (source: unknown) => exportAll(namespace, source)
      return body(importer, links.importLater, namespace, all, importMeta(record, links))
    },
    finish: () => {
      nameDefaultExport(namespace)
      // TypeScript's `export =` beside imports
      const assigned = module.exports !== untouched || Object.keys(untouched).length > 0
      if (!assigned || Object.keys(namespace).length > 0) return
      record.commonJs = module
      exportCommonJs(namespace, module.exports)
    },
  }
}

type CommonJsWrapper = (
  importLater: (specifier: unknown) => Promise<unknown>,
) => (
  this: unknown,
  exports: unknown,
  require: NodeJS.Require,
  module: CommonJsModule,
  filename: string,
  dirname: string,
) => void

/** Runs a CommonJS file. Modules in an import cycle see the exports that exist so far. */
export function runCommonJs(record: ModuleRecord, compiled: CompiledModule, links: ModuleLinks): void {
  const { file } = record
  const module = commonJsModule(file)
  record.commonJs = module
  const body = (compiled.script.runInThisContext() as CommonJsWrapper)(links.importLater)
  body.call(module.exports, module.exports, requireFor(file, links), module, file, path.dirname(file))
  module.loaded = true
  exportCommonJs(record.namespace, module.exports)
}

function commonJsModule(file: string): CommonJsModule {
  return { exports: {}, id: file, filename: file, loaded: false }
}

function requireFor(file: string, links: ModuleLinks): NodeJS.Require {
  const native = createRequire(file)
  const resolve = (specifier: string, options?: NodeJS.RequireResolveOptions) =>
    links.resolveLocal(specifier) ?? native.resolve(specifier, options)
  return Object.assign((specifier: string) => links.require(specifier), {
    resolve: Object.assign(resolve, { paths: (request: string) => native.resolve.paths(request) }),
    cache: native.cache,
    extensions: native.extensions,
    main: native.main,
  })
}

function importMeta({ file, hot }: ModuleRecord, links: ModuleLinks): ImportMeta {
  const meta: Partial<ImportMeta> & { main: boolean } = {
    url: pathToFileURL(file).href,
    filename: file,
    dirname: path.dirname(file),
    main: false,
    hot,
    resolve: links.resolveUrl,
  }
  return meta as ImportMeta
}

/** Names an anonymous default export `default`, as the language requires; the transform gives it another name. */
function nameDefaultExport(namespace: ModuleRecord['namespace']): void {
  const exported = namespace['default']
  if (typeof exported !== 'function' || exported.name !== '__vite_ssr_export_default__') return
  Object.defineProperty(exported, 'name', { value: 'default', configurable: true })
}
