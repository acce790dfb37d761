import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import type { ModuleCompiler } from './compile/module-compiler.ts'
import { runCommonJs, runModule, runRequiredModule } from './run-module.ts'
import type { HotModule } from './hot-module.ts'
import { parseJsonModule } from './compile/parse-json-module.ts'
import { createModuleLinks } from './module-links.ts'
import type { ImportSession } from './module-links.ts'
import type { ModuleGraph } from './module-graph.ts'
import { ModuleRecord } from './module-record.ts'
import { createNamespace, exportCommonJs } from './namespace.ts'
import type { CommonJsViews, ModuleNamespace } from './namespace.ts'
import type { ModuleResolver, NativeModule } from './module-resolver.ts'
import { SupersededError } from './errors/superseded-error.ts'

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
export class ModuleSession implements ImportSession {
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
