import fs from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import type { ModuleCompiler } from './compile/module-compiler.ts'
import { runCommonJs, runModule, runRequiredModule } from './run-module.ts'
import type { ModuleLinks } from './run-module.ts'
import type { HotModule } from './hot-module.ts'
import { parseJsonModule } from './compile/parse-json-module.ts'
import type { ModuleGraph } from './module-graph.ts'
import { ModuleRecord } from './module-record.ts'
import { createNamespace, exportCommonJs } from './namespace.ts'
import type { CommonJsViews, ModuleNamespace } from './namespace.ts'
import { UnresolvedError } from './module-resolver.ts'
import type { ImportKind, ModuleResolver, NativeModule, ResolvedModule } from './module-resolver.ts'
import { SupersededError } from './errors/superseded-error.ts'
import { importedNamePosition } from './errors/import-site.ts'
import { loadErrorAt } from './errors/load-error.ts'
import { unresolvedImport } from './errors/unresolved-import.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'

/** The state that all loads of a project share. */
export interface LoaderContext {
  readonly root: string
  readonly resolver: ModuleResolver
  readonly compiler: ModuleCompiler
  readonly views: CommonJsViews
  hotModule(file: string): HotModule
  /** Called for each module that starts to run. */
  onModuleStart(record: ModuleRecord, session: ModuleSession): void
  /** The session for a module's `import()` and `require()`, which may run long after the load. */
  sessionOf(record: ModuleRecord, born: ModuleSession): ModuleSession
  /** Records the import that caused an error, for errors without a stack frame in the project. */
  onImportError(error: unknown, record: ModuleRecord, specifier: string): void
}

/** Runs the modules of one graph, each once. */
export class ModuleSession {
  readonly graph: ModuleGraph
  readonly context: LoaderContext
  /** Whether it became a generation. */
  committed = false
  #abandoned = false

  constructor(context: LoaderContext, graph: ModuleGraph) {
    this.context = context
    this.graph = graph
  }

  /** `chain` lists the modules that wait for this one. */
  import(file: string, chain: readonly string[]): Promise<ModuleNamespace> {
    const known = this.graph.get(file)
    if (known !== undefined) {
      // in an import cycle the importer gets the incomplete namespace
      const cycle = known.running && this.graph.waitsFor(file, chain)
      return cycle ? Promise.resolve(known.namespace) : known.completion
    }
    const record = this.#begin(file)
    void this.#run(record, [...chain, file])
    return record.completion
  }

  /** The synchronous form of `import`. */
  require(file: string, chain: readonly string[]): ModuleRecord {
    const known = this.graph.get(file)
    if (known !== undefined) {
      known.assertNotFailed()
      if (!known.running || this.graph.waitsFor(file, chain)) return known
      throw new Error(`require() of ${file} failed: the module has a pending top-level await`)
    }
    const record = this.#begin(file)
    this.#runNow(record, [...chain, file])
    return record
  }

  async importNative(
    target: NativeModule,
    record: ModuleRecord,
    specifier: string,
  ): Promise<ModuleNamespace> {
    try {
      const namespace = (await import(/* @vite-ignore */ target.url)) as ModuleNamespace
      return target.commonJs ? this.viewFor(record, namespace) : namespace
    } catch (error) {
      this.context.onImportError(error, record, specifier)
      throw error
    }
  }

  requireNative(target: NativeModule, record: ModuleRecord, specifier: string): unknown {
    const name = target.url.startsWith('file:') ? fileURLToPath(target.url) : target.url
    try {
      return createRequire(record.file)(name) as unknown
    } catch (error) {
      this.context.onImportError(error, record, specifier)
      throw error
    }
  }

  /** The namespace that `import` returns for exports that were loaded by `require()`. */
  namespaceOf(exports: unknown, record: ModuleRecord): ModuleNamespace {
    if (types.isModuleNamespaceObject(exports)) return exports as ModuleNamespace
    const namespace = createNamespace()
    exportCommonJs(namespace, exports)
    return this.viewFor(record, namespace)
  }

  viewFor(importer: ModuleRecord, namespace: ModuleNamespace): ModuleNamespace {
    const kind = this.context.resolver.isModule(importer.file) ? 'module' : 'commonJs'
    return this.context.views.view(namespace, kind)
  }

  /** Prevents further modules from running. */
  abandon(): void {
    this.#abandoned = true
  }

  #begin(file: string): ModuleRecord {
    if (this.#abandoned) throw new SupersededError()
    const record = new ModuleRecord(file, this.context.hotModule(file))
    this.graph.add(record)
    this.context.onModuleStart(record, this)
    return record
  }

  async #run(record: ModuleRecord, chain: readonly string[]): Promise<void> {
    try {
      const compiled = this.#compile(record)
      if (compiled?.form === 'module') await runModule(record, compiled, this.#links(record, chain))
      else if (compiled !== undefined) runCommonJs(record, compiled, this.#links(record, chain))
      record.finish()
    } catch (error) {
      record.fail(error)
    }
  }

  #runNow(record: ModuleRecord, chain: readonly string[]): void {
    try {
      const compiled = this.#compile(record)
      const run = compiled?.form === 'module' ? runRequiredModule : runCommonJs
      if (compiled !== undefined) run(record, compiled, this.#links(record, chain))
      record.finish()
    } catch (error) {
      record.fail(error)
      throw error
    }
  }

  #links(record: ModuleRecord, chain: readonly string[]) {
    const { root, resolver } = this.context
    const session = () => this.context.sessionOf(record, this)
    return createModuleLinks({ root, resolver, session }, record, chain)
  }

  /** Undefined for JSON, which has no code to run. */
  #compile(record: ModuleRecord) {
    const { compiler, root } = this.context
    if (record.file.endsWith('.json')) {
      record.source = compiler.read(record.file)
      record.commonJs = { exports: parseJsonModule(record.source, { root, file: record.file }) }
      exportCommonJs(record.namespace, record.commonJs.exports)
      return undefined
    }
    const compiled = compiler.compile(record.file)
    record.compiled = compiled
    record.source = compiled.source
    return compiled
  }
}

interface ModuleLinksDeps {
  readonly root: string
  readonly resolver: ModuleResolver
  /** The session for the module's imports now. `import()` and `require()` may run long after the load. */
  readonly session: () => ModuleSession
}

/** Connects one module to the modules that it imports. `chain` names the modules that wait for it. */
function createModuleLinks(
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
function seenFrom(importer: ModuleRecord, target: ModuleRecord, session: ModuleSession): ModuleNamespace {
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
