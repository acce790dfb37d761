import fs from 'node:fs'
import { beginPersistTransaction } from '../persist.ts'
import { ModuleCompiler } from './compile/compile.ts'
import { describeFailure } from './errors/describe-failure.ts'
import { Generation } from './generation.ts'
import { HotModule } from './hot.ts'
import type { LoadError } from './errors/load-error.ts'
import { ModuleGraph } from './module-graph.ts'
import type { ModuleRecord } from './module-record.ts'
import { ModuleSession } from './module-session.ts'
import type { LoaderContext } from './module-session.ts'
import { CommonJsViews } from './namespace.ts'
import type { ModuleNamespace } from './namespace.ts'
import { ModuleResolver } from './resolve.ts'
import type { ModuleAlias } from './resolve.ts'
import { SeenSources } from './seen-sources.ts'
import { traceStacks } from './errors/stack-trace.ts'
import { SupersededError } from './errors/superseded.ts'

export interface ModuleLoaderOptions<Value> {
  /** The file that is loaded, absolute. */
  readonly entry: string
  /** Absolute; messages name files relative to it. */
  readonly root: string
  readonly alias: ModuleAlias
  /** Judges what the entry exports. What it throws makes the load fail. */
  readonly accept: (namespace: ModuleNamespace) => Value | Promise<Value>
  /** A module started to run, at load or later by `import()`. */
  readonly onModule?: (file: string) => void
  /** Something went wrong in code that is going out of service. */
  readonly onWarning: (message: string, error?: unknown) => void
  /** How long users may hold on to a retired generation: 10 minutes unless given. */
  readonly graceMs?: number
}

export interface LoadRequest {
  /** Files whose content changed; they and their importers run again. */
  readonly changed?: readonly string[]
  /** Run every file of the project again. */
  readonly all?: boolean
  /** Gives the load up while it waits for a top-level await. */
  readonly signal?: AbortSignal
}

interface UnresolvedImport {
  readonly file: string
  readonly specifier: string
}

interface Live<Value> {
  readonly generation: Generation<Value>
  readonly session: ModuleSession
  /** What else ends with it. */
  readonly cleanups: (() => Promise<void>)[]
}

/** Loads the entry and everything it imports, again and again; a load that fails leaves the last good one. */
export class ModuleLoader<Value> {
  readonly #options: ModuleLoaderOptions<Value>
  readonly #entry: string
  readonly #sources = new SeenSources()
  readonly #compiler: ModuleCompiler
  readonly #context: LoaderContext
  readonly #live = new Set<Live<Value>>()
  readonly #origins = new WeakMap<object, UnresolvedImport>()
  readonly #untraceStacks: () => void
  /** Files that must run again although nothing more happens to them: they ran in a load that failed. */
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
      began: (record, session) => this.#began(record, session),
      sessionOf: (record, born) => this.#sessionOf(record, born),
      broughtIn: (error, { file }, specifier) => {
        if (typeof error === 'object' && error !== null) this.#origins.set(error, { file, specifier })
      },
    }
  }

  /** The generation in service. */
  get current(): Generation<Value> | undefined {
    return this.#current?.generation
  }

  /** The files that matter: those in service and those of the last load that failed. */
  get files(): string[] {
    const files = new Set(this.#current?.session.graph.files ?? [])
    for (const file of this.#failed?.files ?? []) files.add(file)
    return [...files.add(this.#entry)]
  }

  /** Imports that led nowhere. */
  get unresolved(): readonly UnresolvedImport[] {
    return [...unresolvedIn(this.#current?.session.graph), ...(this.#failed?.unresolved ?? [])]
  }

  /** Those of `files` whose content is not what was last read. */
  changedAmong(files: Iterable<string>): string[] {
    return [...files].filter((file) => this.#sources.isChanged(file))
  }

  /** Whether one of `files` seems to be in the middle of a save. */
  unfinishedAmong(files: Iterable<string>): boolean {
    return [...files].some((file) => this.#sources.isUnfinished(file))
  }

  /** Files whose unresolved imports would resolve now. */
  healed(): string[] {
    const { resolver } = this.#context
    resolver.clear()
    return this.unresolved
      .filter(({ file, specifier }) => resolver.resolves(specifier, file))
      .map(({ file }) => file)
  }

  /**
   * Builds the next generation beside the current one and puts it into service. Throws a LoadError, and leaves
   * everything as it was, when that fails; a SupersededError when it was given up.
   */
  async load({ changed = [], all = false, signal }: LoadRequest = {}): Promise<Generation<Value>> {
    const old = this.#current?.session.graph ?? new ModuleGraph()
    for (const file of all ? old.files : old.importersOf(changed)) this.#stale.add(file)
    // also those that no import leads to any more count as seen
    for (const file of changed) this.#sources.read(file)
    this.#context.resolver.clear()
    const kept = old.records.filter(({ file }) => !this.#stale.has(file))
    const session = new ModuleSession(this.#context, new ModuleGraph(kept))
    const persisted = beginPersistTransaction()
    try {
      const value = await abortable(this.#run(session), signal)
      return this.#commit(session, value, persisted.keep())
    } catch (error) {
      await persisted.undo()
      throw this.#fail(session, error)
    }
  }

  /** Ends every generation, used or not. */
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
    const generation = new Generation({ number, value, files: graph.files, end })
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
    const onOverdue = (uses: number) =>
      this.#options.onWarning(
        `Generation ${number} of the code is still used by ${uses} after ${Math.round(graceMs / 1000)} s; it is disposed now`,
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
        this.#options.onWarning('A persisted value could not be closed', error),
      )
    }
    for (const live of this.#live) if (live.generation === generation) this.#live.delete(live)
    // its surviving modules must not keep the others alive
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

  #began(record: ModuleRecord, session: ModuleSession): void {
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
