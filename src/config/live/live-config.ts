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
  /** A generation came into service: the first one, then one for each change. */
  readonly onLoaded: (event: LoadedEvent, generation: Generation<Value>) => void
  /** A load failed; what was in service stays. */
  readonly onError: (event: LoadFailedEvent) => void
  /** Ask the file system every so many milliseconds, where it sends no events. */
  readonly poll?: number
}

/** A syntax error is held back so long: it may be half a save. */
const SYNTAX_ERROR_MS = 15
/** Unresolved imports are tried again so often, for what no event tells: installed packages, path aliases. */
const HEAL_MS = 500
/** A load that takes longer is watched while it runs. */
const WATCH_EARLY_MS = 50

/** Loads the config and reloads it on every change. Fulfils after the first load, whether it failed or not. */
export async function startLiveConfig<Value>(options: LiveConfigOptions<Value>): Promise<LiveConfig<Value>> {
  const live = new LiveConfig(options)
  await live.reloadAll()
  await live.watching()
  return live
}

/** The config as the files have it now. */
export class LiveConfig<Value> {
  readonly #options: LiveConfigOptions<Value>
  readonly #envFiles: EnvFiles
  readonly #loader: ModuleLoader<Value>
  readonly #inputs: ProjectInputs
  readonly #queue: ReloadQueue
  readonly #watcher: ProjectWatcher
  readonly #report: LoadReport
  readonly #healing: NodeJS.Timeout
  #watchingSoon: NodeJS.Timeout | undefined
  /** The last load failed. */
  #failing = false
  /** A failure that is told unless a newer change makes up for it. */
  #heldError: LoadError | undefined
  /** A load was given up: what it was to do is still to be done. */
  #owed = false
  #closed = false

  constructor(options: LiveConfigOptions<Value>) {
    const { root } = options.project
    this.#options = options
    this.#envFiles = new EnvFiles({ root, mode: options.mode })
    this.#loader = createLoader(options, () => this.#watchSoon())
    this.#inputs = new ProjectInputs({ root, loader: this.#loader, envFiles: this.#envFiles })
    this.#report = new LoadReport(root, options.clock)
    this.#queue = new ReloadQueue({
      turn: (request, signal) => this.#turn(request, signal),
      isChange: (paths) => this.#inputs.isChange(paths),
    })
    this.#watcher = new ProjectWatcher({
      root,
      poll: options.poll,
      onChange: (paths) => void this.#queue.request(paths),
      onRecheck: () => void this.#queue.request(this.#loader.files),
      onHint: (text) => options.onHint?.(text),
    })
    this.#healing = setInterval(() => this.#heal(), HEAL_MS).unref()
  }

  /** The generation in service; undefined until a load has succeeded. */
  get current(): Generation<Value> | undefined {
    return this.#loader.current
  }

  /** Reads the environment and runs every file of the project again. Fulfils when the outcome was reported. */
  async reloadAll(): Promise<void> {
    await this.#queue.request([], { all: true })
  }

  /** Fulfils once changes are noticed. */
  async watching(): Promise<void> {
    await this.#watcher.ready()
  }

  /** Stops watching, runs dispose callbacks, of persisted values too, and takes the `.env` variables back. */
  async close(): Promise<void> {
    clearInterval(this.#healing)
    clearTimeout(this.#watchingSoon)
    this.#closed = true
    await this.#queue.close()
    await this.#watcher.close()
    await this.#loader.close()
    this.#envFiles.restore()
    await disposePersistedValues()
  }

  async #turn(request: ReloadRequest, signal: AbortSignal): Promise<void> {
    this.#report.begin()
    let generation: Generation<Value> | undefined
    try {
      await this.#inputs.settle(signal)
      generation = await this.#loadIfChanged(request, signal)
    } catch (error) {
      this.#owed = signal.aborted
      if (!signal.aborted) await this.#failed(asLoadError(error))
      return
    }
    if (generation === undefined) return this.#reportHeldError()
    this.#failing = false
    this.#heldError = undefined
    this.#options.onLoaded(this.#report.loaded(generation), generation)
  }

  /** Undefined when everything is as it was loaded. */
  async #loadIfChanged(
    { paths, all }: ReloadRequest,
    signal: AbortSignal,
  ): Promise<Generation<Value> | undefined> {
    const { files, healed, settings } = this.#inputs.changes(paths)
    const env = this.#envFiles.apply()
    this.#report.changed([...files, ...settings], env)
    const everything = all || settings.length > 0 || env.length > 0
    const changed = [...files, ...healed]
    if (!everything && changed.length === 0 && !this.#owed) return undefined
    try {
      return await this.#loader.load({ changed, all: everything, signal })
    } finally {
      this.#owed = false
      this.#watch()
    }
  }

  async #failed(error: LoadError): Promise<void> {
    this.#failing = true
    this.#heldError = error
    if (error.name === 'SyntaxError') await sleep(SYNTAX_ERROR_MS)
    if (this.#inputs.isChange(this.#loader.files)) void this.#queue.request(this.#loader.files)
    if (!this.#queue.hasMore) this.#reportHeldError()
  }

  #reportHeldError(): void {
    const error = this.#heldError
    this.#heldError = undefined
    if (error !== undefined && !this.#closed)
      this.#options.onError(this.#report.failed(error, this.current?.number ?? 0))
  }

  #watchSoon(): void {
    this.#watchingSoon ??= setTimeout(() => this.#watch(), WATCH_EARLY_MS)
  }

  #watch(): void {
    clearTimeout(this.#watchingSoon)
    this.#watchingSoon = undefined
    if (!this.#closed) this.#watcher.watch(this.#inputs.targets())
  }

  #heal(): void {
    if (this.#failing && this.#loader.healed().length > 0) void this.#queue.request([])
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
