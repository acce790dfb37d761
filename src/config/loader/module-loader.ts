import fs from 'node:fs'
import { lazy } from '../../lib/async/lazy.ts'
import { beginPersistTransaction } from '../persist.ts'
import { ModuleCompiler } from './compile/module-compiler.ts'
import { describeFailure } from './errors/describe-failure.ts'
import { Generation } from './generation.ts'
import { HotModule } from './hot-module.ts'
import { projectRelative } from './errors/load-error.ts'
import type { LoadError } from './errors/load-error.ts'
import { ModuleGraph } from './module-graph.ts'
import type { ModuleRecord } from './module-record.ts'
import { ModuleSession } from './module-session.ts'
import type { LoaderContext } from './module-session.ts'
import { CommonJsViews } from './namespace.ts'
import type { ModuleNamespace } from './namespace.ts'
import { ModuleResolver } from './module-resolver.ts'
import type { ModuleAlias } from './module-resolver.ts'
import { SeenSources } from './seen-sources.ts'
import { traceStacks } from './errors/trace-stacks.ts'
import { SupersededError } from './errors/superseded-error.ts'

/** The time after which a load that has not ended says what it waits for. */
const SLOW_LOAD_MS = 5000

export interface ModuleLoaderOptions<Value> {
  /** The file to load, absolute. */
  readonly entry: string
  /** Absolute. Messages contain paths relative to it. */
  readonly root: string
  readonly alias: ModuleAlias
  /** Validates the entry's exports. An error that it throws fails the load. */
  readonly accept: (namespace: ModuleNamespace) => Value | Promise<Value>
  /** Called when a module starts to run, at load or later by `import()`. */
  readonly onModule?: (file: string) => void
  /** Called for errors in code that goes out of service. */
  readonly onWarning: (message: string, error?: unknown) => void
  /** The maximum time that a retired generation stays in use. Default 10 minutes. */
  readonly graceMs?: number
}

export interface LoadRequest {
  /** Changed files. They and their importers run again. */
  readonly changed?: readonly string[]
  /** Run all files of the project again. */
  readonly all?: boolean
  /** Aborts the load while it waits for a top-level await. */
  readonly signal?: AbortSignal
}

interface UnresolvedImport {
  readonly file: string
  readonly specifier: string
}

interface Live<Value> {
  readonly generation: Generation<Value>
  readonly session: ModuleSession
  /** Functions that run when it ends. */
  readonly cleanups: (() => Promise<void>)[]
}

/** Loads and reloads the entry and all its imports. If a load fails, the last valid generation stays. */
export class ModuleLoader<Value> {
  readonly #options: ModuleLoaderOptions<Value>
  readonly #entry: string
  readonly #sources = new SeenSources()
  readonly #compiler: ModuleCompiler
  readonly #context: LoaderContext
  readonly #live = new Set<Live<Value>>()
  readonly #origins = new WeakMap<object, UnresolvedImport>()
  readonly #untraceStacks: () => void
  /** Files that must run again without a further change, because they ran in a failed load. */
  readonly #stale = new Set<string>()
  #current: Live<Value> | undefined
  #failed: { readonly files: readonly string[]; readonly unresolved: readonly UnresolvedImport[] } | undefined

  constructor(options: ModuleLoaderOptions<Value>) {
    this.#options = options
    this.#entry = fs.realpathSync(options.entry)
    this.#compiler = new ModuleCompiler(options.root, this.#sources)
    this.#untraceStacks = traceStacks(this.#compiler.traces)
    this.#context = {
      root: options.root,
      resolver: new ModuleResolver({ root: options.root, alias: options.alias }),
      compiler: this.#compiler,
      views: new CommonJsViews(),
      hotModule: (file) => this.#hotModule(file),
      onModuleStart: (record, session) => this.#onModuleStart(record, session),
      sessionOf: (record, born) => this.#sessionOf(record, born),
      onImportError: (error, { file }, specifier) => {
        if (typeof error === 'object' && error !== null) this.#origins.set(error, { file, specifier })
      },
    }
  }

  /** The generation in service. */
  get current(): Generation<Value> | undefined {
    return this.#current?.generation
  }

  /** The files to watch: those in service and those of a failed last load. */
  get files(): string[] {
    const files = new Set(this.#current?.session.graph.files ?? [])
    for (const file of this.#failed?.files ?? []) files.add(file)
    return [...files.add(this.#entry)]
  }

  /** Imports that did not resolve. */
  get unresolved(): readonly UnresolvedImport[] {
    return [...unresolvedIn(this.#current?.session.graph), ...(this.#failed?.unresolved ?? [])]
  }

  /** The files among `files` whose content differs from the last read. */
  changedAmong(files: Iterable<string>): string[] {
    return [...files].filter((file) => this.#sources.isChanged(file))
  }

  /** Whether one of `files` may be in the middle of a save. */
  unfinishedAmong(files: Iterable<string>): boolean {
    return [...files].some((file) => this.#sources.isUnfinished(file))
  }

  /** Files with unresolved imports that would resolve now. */
  resolvedAgain(): string[] {
    const { resolver } = this.#context
    resolver.clear()
    return this.unresolved
      .filter(({ file, specifier }) => resolver.resolves(specifier, file))
      .map(({ file }) => file)
  }

  /**
   * Builds the next generation beside the current one and puts it into service. If that fails, it throws a LoadError
   * and changes nothing; if it was aborted, it throws a SupersededError.
   */
  async load({ changed = [], all = false, signal }: LoadRequest = {}): Promise<Generation<Value>> {
    const old = this.#current?.session.graph ?? new ModuleGraph()
    for (const file of all ? old.files : old.importersOf(changed)) this.#stale.add(file)
    // mark the content as read, also for files that are not imported any more
    for (const file of changed) this.#sources.read(file)
    this.#context.resolver.clear()
    const kept = old.records.filter(({ file }) => !this.#stale.has(file))
    const session = new ModuleSession(this.#context, new ModuleGraph(kept))
    const persisted = beginPersistTransaction()
    const slow = setTimeout(
      () => this.#options.onWarning(waitingText(session.graph, this.#options)),
      SLOW_LOAD_MS,
    )
    try {
      const value = await abortable(this.#run(session), signal)
      return this.#commit(session, value, persisted.keep())
    } catch (error) {
      await persisted.undo()
      throw this.#fail(session, error)
    } finally {
      clearTimeout(slow)
    }
  }

  /** Ends all generations, even those in use. */
  async close(): Promise<void> {
    await Promise.all([...this.#live].map(({ generation }) => generation.end()))
    this.#untraceStacks()
  }

  async #run(session: ModuleSession): Promise<Value> {
    return this.#options.accept(await session.import(this.#entry, []))
  }

  #commit(session: ModuleSession, value: Value, disposeReplaced: () => Promise<void>): Generation<Value> {
    const { graph } = session
    graph.keepReachableFrom(this.#entry)
    for (const record of graph.records) record.holders++
    session.committed = true
    const number = (this.#current?.generation.number ?? 0) + 1
    const end = () => this.#end(live)
    const contentHash = lazy(() => graph.contentHash(this.#options.root))
    const importFile = (file: string) =>
      session.import(fs.realpathSync(file), []).catch((error: unknown) => {
        throw this.#describe(error)
      })
    const generation = new Generation({ number, value, files: graph.files, contentHash, importFile, end })
    const live: Live<Value> = { generation, session, cleanups: [] }
    const previous = this.#current
    this.#current = live
    this.#live.add(live)
    this.#stale.clear()
    this.#failed = undefined
    this.#forgetUnused()
    if (previous === undefined) void disposeReplaced()
    else this.#retire(previous, disposeReplaced)
    return generation
  }

  #retire({ generation, cleanups }: Live<Value>, disposeReplaced: () => Promise<void>): void {
    cleanups.push(disposeReplaced)
    const graceMs = this.#options.graceMs ?? 600_000
    const { number } = generation
    const onOverdue = (holds: number) =>
      this.#options.onWarning(
        `Generation ${number} still has ${holds} ${holds === 1 ? 'user' : 'users'} after ${Math.round(graceMs / 1000)} s and is disposed now`,
      )
    generation.retire({ graceMs, onOverdue })
  }

  #fail(session: ModuleSession, error: unknown): LoadError | SupersededError {
    session.abandon()
    const { graph } = session
    const old = this.#current?.session.graph
    const attempted = graph.records.filter((record) => old?.get(record.file) !== record)
    for (const record of attempted) void record.hot.end()
    this.#failed = { files: graph.files, unresolved: unresolvedIn(new ModuleGraph(attempted)) }
    const failure = error instanceof SupersededError ? error : this.#describe(error)
    graph.clear()
    this.#forgetUnused()
    return failure
  }

  #describe(error: unknown): LoadError {
    return describeFailure(error, {
      root: this.#options.root,
      entry: this.#entry,
      sourceOf: (file) => this.#sources.get(file),
      importOf: (thrown) => this.#origins.get(thrown as object),
    })
  }

  async #end({ session, generation, cleanups }: Live<Value>): Promise<void> {
    const ended = session.graph.records.filter((record) => --record.holders === 0)
    for (const record of ended) await record.hot.end()
    for (const cleanup of cleanups) {
      await cleanup().catch((error: unknown) =>
        this.#options.onWarning('Failed to dispose a persisted value', error),
      )
    }
    for (const live of this.#live) if (live.generation === generation) this.#live.delete(live)
    // modules that later generations still use must not keep the others in memory
    session.graph.clear()
    this.#forgetUnused()
  }

  #forgetUnused(): void {
    const graphs = [...this.#live].map(({ session }) => session.graph)
    const compiled = graphs.flatMap(({ records }) => records.flatMap((record) => record.compiled ?? []))
    this.#compiler.keepOnly(new Set(compiled))
    this.#sources.keepOnly(new Set([...graphs.flatMap(({ files }) => files), ...this.files]))
  }

  #hotModule(file: string): HotModule {
    const data = this.#current?.session.graph.get(file)?.hot.data ?? {}
    return new HotModule(data, (error) => this.#options.onWarning('A dispose callback failed', error))
  }

  #onModuleStart(record: ModuleRecord, session: ModuleSession): void {
    if (session.committed) record.holders++
    this.#options.onModule?.(record.file)
  }

  #sessionOf(record: ModuleRecord, born: ModuleSession): ModuleSession {
    const current = this.#current?.session
    if (current === undefined || born === current) return born
    const ended = born.committed && ![...this.#live].some(({ session }) => session === born)
    return ended || current.graph.get(record.file) === record ? current : born
  }
}

function unresolvedIn(graph: ModuleGraph | undefined): UnresolvedImport[] {
  return (graph?.records ?? []).flatMap(({ file, unresolved }) =>
    [...unresolved].map((specifier) => ({ file, specifier })),
  )
}

function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new SupersededError())
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** What a load waits for: the modules whose imports have run, but not they. */
function waitingText(graph: ModuleGraph, { root }: { readonly root: string }): string {
  const waiting = graph.records.filter(
    ({ running, imports }) => running && ![...imports].some((file) => graph.get(file)?.running === true),
  )
  const files = waiting.map(({ file }) => projectRelative(root, file)).join(', ')
  return `The load has not ended after ${SLOW_LOAD_MS / 1000} s: it waits for a top-level await${files === '' ? '' : ` in ${files}`}`
}
