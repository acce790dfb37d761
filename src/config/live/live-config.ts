import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import { EnvFiles } from '../env-files.ts'
import type { LoadedEvent, LoadFailedEvent } from './load-event.ts'
import { createLoader } from './load-once.ts'
import type { ConfigSource } from './load-once.ts'
import { LoadReport } from './load-report.ts'
import type { Generation } from '../loader/generation.ts'
import { LoadError } from '../loader/errors/load-error.ts'
import type { ModuleLoader } from '../loader/module-loader.ts'
import { disposePersistedValues } from '../persist.ts'
import { ProjectInputs } from './project-inputs.ts'
import { ReloadQueue } from './reload-queue.ts'
import type { ReloadRequest } from './reload-queue.ts'
import { ProjectWatcher } from '../watch/project-watcher.ts'

export interface LiveConfigOptions<Value> extends ConfigSource<Value> {
  /** Called when a generation comes into service: the first one, then one for each change. */
  readonly onLoaded: (event: LoadedEvent, generation: Generation<Value>) => void
  /** Called when a load fails. The generation in service stays. */
  readonly onError: (event: LoadFailedEvent) => void
  /** Polling interval in milliseconds, for file systems without change events. */
  readonly poll?: number
}

/** The delay before a syntax error is reported: the file may be partly written. */
const SYNTAX_ERROR_DELAY_MS = 15
/** The interval for retrying unresolved imports, for changes without events: installed packages, path aliases. */
const RETRY_IMPORTS_MS = 500
/** If a load takes longer, its files are watched before it ends. */
const WATCH_EARLY_MS = 50

/** Loads the config and reloads it on every change. Resolves after the first load, also if that failed. */
export async function startLiveConfig<Value>(options: LiveConfigOptions<Value>): Promise<LiveConfig<Value>> {
  const live = new LiveConfig(options)
  await live.reloadAll()
  await live.watching()
  return live
}

/** A configuration that is reloaded when its files change. */
export class LiveConfig<Value> {
  readonly #options: LiveConfigOptions<Value>
  readonly #envFiles: EnvFiles
  readonly #loader: ModuleLoader<Value>
  readonly #inputs: ProjectInputs
  readonly #queue: ReloadQueue
  readonly #watcher: ProjectWatcher
  readonly #report: LoadReport
  readonly #importRetries: NodeJS.Timeout
  #scheduledWatch: NodeJS.Timeout | undefined
  /** Whether the last load failed. */
  #failing = false
  /** A failure that is reported unless a newer change replaces it. */
  #heldError: LoadError | undefined
  /** Whether a load was aborted, so that its changes must still be loaded. */
  #loadPending = false
  #closed = false

  constructor(options: LiveConfigOptions<Value>) {
    const { root } = options.project
    this.#options = options
    this.#envFiles = new EnvFiles({ root, mode: options.mode })
    this.#loader = createLoader(options, () => this.#scheduleWatch())
    this.#inputs = new ProjectInputs({ root, loader: this.#loader, envFiles: this.#envFiles })
    this.#report = new LoadReport(root, options.clock)
    this.#queue = new ReloadQueue({
      load: (request, signal) => this.#onRequest(request, signal),
      isChange: (paths) => this.#inputs.isChange(paths),
    })
    this.#watcher = new ProjectWatcher({
      root,
      poll: options.poll,
      onChange: (paths) => void this.#queue.request(paths),
      onRecheck: () => void this.#queue.request(this.#loader.files),
      onHint: (text) => options.onHint?.(text),
    })
    this.#importRetries = setInterval(() => this.#retryImports(), RETRY_IMPORTS_MS).unref()
  }

  /** The generation in service. Undefined until a load has succeeded. */
  get current(): Generation<Value> | undefined {
    return this.#loader.current
  }

  /** Reads the environment and runs all files of the project again. Resolves when the outcome was reported. */
  async reloadAll(): Promise<void> {
    await this.#queue.request([], { all: true })
  }

  /** Resolves when changes are detected. */
  async watching(): Promise<void> {
    await this.#watcher.ready()
  }

  /** Stops watching, runs all dispose callbacks, and removes the `.env` variables. */
  async close(): Promise<void> {
    clearInterval(this.#importRetries)
    clearTimeout(this.#scheduledWatch)
    this.#closed = true
    await this.#queue.close()
    await this.#watcher.close()
    await this.#loader.close()
    this.#envFiles.restore()
    await disposePersistedValues()
  }

  async #onRequest(request: ReloadRequest, signal: AbortSignal): Promise<void> {
    this.#report.begin()
    let generation: Generation<Value> | undefined
    try {
      await this.#inputs.settle(signal)
      generation = await this.#loadIfChanged(request, signal)
    } catch (error) {
      this.#loadPending = signal.aborted
      if (!signal.aborted) await this.#failed(asLoadError(error))
      return
    }
    if (generation === undefined) return this.#reportHeldError()
    this.#failing = false
    this.#heldError = undefined
    this.#options.onLoaded(this.#report.loaded(generation), generation)
  }

  /** Undefined if nothing changed. */
  async #loadIfChanged(
    { paths, all }: ReloadRequest,
    signal: AbortSignal,
  ): Promise<Generation<Value> | undefined> {
    const { files, resolved, settings } = this.#inputs.changes(paths)
    const env = this.#envFiles.apply()
    this.#report.changed([...files, ...settings], env)
    const reloadAll = all || settings.length > 0 || env.length > 0
    const changed = [...files, ...resolved]
    if (!reloadAll && changed.length === 0 && !this.#loadPending) return undefined
    try {
      return await this.#loader.load({ changed, all: reloadAll, signal })
    } finally {
      this.#loadPending = false
      this.#watch()
    }
  }

  async #failed(error: LoadError): Promise<void> {
    this.#failing = true
    this.#heldError = error
    if (error.name === 'SyntaxError') await sleep(SYNTAX_ERROR_DELAY_MS)
    if (this.#inputs.isChange(this.#loader.files)) void this.#queue.request(this.#loader.files)
    if (!this.#queue.hasMore) this.#reportHeldError()
  }

  #reportHeldError(): void {
    const error = this.#heldError
    this.#heldError = undefined
    if (error !== undefined && !this.#closed)
      this.#options.onError(this.#report.failed(error, this.current?.number ?? 0))
  }

  #scheduleWatch(): void {
    this.#scheduledWatch ??= setTimeout(() => this.#watch(), WATCH_EARLY_MS)
  }

  #watch(): void {
    clearTimeout(this.#scheduledWatch)
    this.#scheduledWatch = undefined
    if (!this.#closed) this.#watcher.watch(this.#inputs.targets())
  }

  #retryImports(): void {
    if (this.#failing && this.#loader.resolvedAgain().length > 0) void this.#queue.request([])
  }
}

function asLoadError(error: unknown): LoadError {
  if (error instanceof LoadError) return error
  if (!(error instanceof AppError)) throw error
  const { message, hint } = error
  return new LoadError({
    name: 'ConfigError',
    message,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  })
}
