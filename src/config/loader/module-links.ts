import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { ModuleLinks } from './run-module.ts'
import { importedNamePosition } from './errors/import-site.ts'
import { parseJsonModule } from './compile/parse-json-module.ts'
import { loadErrorAt } from './errors/load-error.ts'
import { unresolvedImport } from './errors/unresolved-import.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import type { ModuleRecord } from './module-record.ts'
import type { ModuleGraph } from './module-graph.ts'
import { createNamespace, exportCommonJs } from './namespace.ts'
import type { ModuleNamespace } from './namespace.ts'
import { UnresolvedError } from './module-resolver.ts'
import type { ImportKind, ModuleResolver, NativeModule, ResolvedModule } from './module-resolver.ts'
import { SupersededError } from './errors/superseded-error.ts'

/** The part of a session that runs the imports of one of its modules. */
export interface ImportSession {
  readonly graph: Pick<ModuleGraph, 'get'>
  import(file: string, chain: readonly string[]): Promise<ModuleNamespace>
  require(file: string, chain: readonly string[]): ModuleRecord
  importNative(target: NativeModule, record: ModuleRecord, specifier: string): Promise<ModuleNamespace>
  requireNative(target: NativeModule, record: ModuleRecord, specifier: string): unknown
  namespaceOf(exports: unknown, record: ModuleRecord): ModuleNamespace
  viewFor(importer: ModuleRecord, namespace: ModuleNamespace): ModuleNamespace
}

export interface ModuleLinksDeps {
  readonly root: string
  readonly resolver: ModuleResolver
  /** The session for the module's imports now. `import()` and `require()` may run long after the load. */
  readonly session: () => ImportSession
}

/** Connects one module to the modules that it imports. `chain` names the modules that wait for it. */
export function createModuleLinks(
  deps: ModuleLinksDeps,
  record: ModuleRecord,
  chain: readonly string[],
): ModuleLinks {
  const { root, session: now } = deps
  const find = (specifier: string, kind: ImportKind = 'import') => resolve(deps, record, { specifier, kind })

  const importNow = (specifier: string, names: readonly string[]): ModuleNamespace => {
    const target = find(specifier)
    const wanted = { names, specifier, record, root }
    if (target.kind === 'data') return data(target.file, root).namespace
    if (target.kind === 'native') {
      const exports = now().requireNative(target, record, specifier)
      return withExports(now().namespaceOf(exports, record), wanted)
    }
    const found = now().require(target.file, chain)
    return withExports(seenFrom(record, found, now()), { ...wanted, target: found })
  }

  const importFrom = async (
    specifier: string,
    options: { names: readonly string[]; chain: readonly string[] },
  ) => {
    const target = find(specifier)
    if (target.kind === 'data') return data(target.file, root).namespace
    const session = now()
    const wanted = { names: options.names, specifier, record, root }
    if (target.kind === 'native')
      return withExports(await session.importNative(target, record, specifier), wanted)
    await session.import(target.file, options.chain)
    const found = session.graph.get(target.file)
    if (found === undefined) throw new SupersededError()
    return withExports(seenFrom(record, found, session), { ...wanted, target: found })
  }

  return {
    import: (specifier, names) => importFrom(specifier, { names, chain }),
    importNow,
    importLater: (specifier) => importFrom(String(specifier), { names: [], chain: [] }),
    require: (specifier) => {
      const target = find(specifier, 'require')
      if (target.kind === 'data') return data(target.file, root).exports
      if (target.kind === 'native') return now().requireNative(target, record, specifier)
      const found = now().require(target.file, chain)
      return found.commonJs === undefined ? found.namespace : found.commonJs.exports
    },
    resolveUrl: (specifier) => {
      const target = find(specifier)
      return target.kind === 'native' ? target.url : pathToFileURL(target.file).href
    },
    resolveLocal: (specifier) => {
      const target = find(specifier, 'require')
      return target.kind === 'local' ? target.file : undefined
    },
  }
}

function resolve(
  { root, resolver }: ModuleLinksDeps,
  record: ModuleRecord,
  { specifier, kind }: { specifier: string; kind: ImportKind },
): ResolvedModule {
  try {
    const target = resolver.resolve(specifier, record.file, kind)
    if (target.kind === 'local') record.imports.add(target.file)
    return target
  } catch (error) {
    if (!(error instanceof UnresolvedError)) throw error
    record.unresolved.add(specifier)
    throw unresolvedImport({ root, file: record.file, source: record.source ?? '', specifier, cause: error })
  }
}

/** A JSON file of a package. */
function data(file: string, root: string): { namespace: ModuleNamespace; exports: unknown } {
  const namespace = createNamespace()
  const exports = parseJsonModule(fs.readFileSync(file, 'utf8'), { root, file })
  exportCommonJs(namespace, exports)
  return { namespace, exports }
}

/** The namespace of a module as its importer sees it. */
function seenFrom(importer: ModuleRecord, target: ModuleRecord, session: ImportSession): ModuleNamespace {
  // an unfinished CommonJS module has no names yet
  const commonJs = target.commonJs !== undefined && !target.running
  return commonJs ? session.viewFor(importer, target.namespace) : target.namespace
}

interface WantedExports {
  readonly names: readonly string[]
  readonly specifier: string
  readonly record: ModuleRecord
  readonly root: string
  readonly target?: ModuleRecord
}

/** Throws if a name is missing, as linking does. Namespaces in an import cycle are not complete yet, so they pass. */
function withExports(namespace: ModuleNamespace, wanted: WantedExports): ModuleNamespace {
  const { names, specifier, record, root, target } = wanted
  if (target?.running === true) return namespace
  const missing = names.find((name) => !(name in namespace) && !declaresType(target, name))
  if (missing === undefined) return namespace
  const source = record.source ?? ''
  const position = importedNamePosition(source, specifier, missing)
  const similar = didYouMean(missing, Object.keys(namespace))
  throw loadErrorAt(
    { root, file: record.file, source, position },
    {
      name: 'SyntaxError',
      message: `'${specifier}' does not provide an export named '${missing}'`,
      ...(similar !== undefined && { hint: `Did you mean "${similar}"?` }),
    },
  )
}

/** TypeScript allows `export { SomeType } from` without `type`. Types do not exist at run time. */
function declaresType(target: ModuleRecord | undefined, name: string): boolean {
  if (target?.source === undefined || !/\.[cm]?tsx?$/.test(target.file)) return false
  return new RegExp(`\\b(?:interface|type)\\s+${name.replaceAll('$', '\\$')}\\b`).test(target.source)
}
