import path from 'node:path'
import { delay } from '../../lib/clock.ts'
import type { EnvFiles } from '../env-files.ts'
import type { ModuleLoader } from '../loader/module-loader.ts'
import { SeenSources } from '../loader/seen-sources.ts'
import type { WatchTargets } from '../watch/project-watcher.ts'
import { settingsFiles } from '../watch/settings-files.ts'

export interface ProjectInputsOptions {
  readonly root: string
  readonly loader: ModuleLoader<unknown>
  readonly envFiles: EnvFiles
}

/** What differs from what was last loaded. */
export interface InputChange {
  /** Files of the graph to run again, with their importers; absolute. */
  readonly files: readonly string[]
  /** Files whose imports lead somewhere now that did not when they last ran; absolute. */
  readonly healed: readonly string[]
  /** A file that decides how imports resolve changed. */
  readonly settings: readonly string[]
}

const UNFINISHED_WAIT_MS = 20
const UNFINISHED_WAITS = 4

/** Everything a load depends on: the graph's files, `.env` files, and what decides how imports resolve. */
export class ProjectInputs {
  readonly #root: string
  readonly #loader: ModuleLoader<unknown>
  readonly #envFiles: EnvFiles
  readonly #settings = new SeenSources()
  #settingsFiles: ReadonlySet<string> = new Set()

  constructor({ root, loader, envFiles }: ProjectInputsOptions) {
    this.#root = root
    this.#loader = loader
    this.#envFiles = envFiles
    this.#findSettings()
  }

  /** Waits, not for long, while a save has emptied or removed a file and not yet written it. */
  async settle(signal: AbortSignal): Promise<void> {
    for (let waits = 0; waits < UNFINISHED_WAITS; waits++) {
      if (!this.#loader.unfinishedAmong(this.#loader.files) && !this.#envFiles.isUnfinished()) return
      await delay(UNFINISHED_WAIT_MS, signal)
    }
  }

  isChange(paths: Iterable<string>): boolean {
    return this.#loader.changedAmong(paths).length > 0
  }

  /** Decided by content, among `paths`. Settings that changed are told once. */
  changes(paths: Iterable<string>): InputChange {
    const settings = [...this.#settingsFiles].filter((file) => this.#settings.isChanged(file))
    for (const file of settings) this.#settings.read(file)
    const healed = this.#loader.unresolved.length > 0 ? this.#loader.healed() : []
    return { files: this.#loader.changedAmong(paths), healed, settings }
  }

  /** To be called after a load: the graph may have grown or shrunk. Returns what is to be watched. */
  targets(): WatchTargets {
    this.#findSettings()
    const files = new Set([...this.#loader.files, ...this.#envFiles.paths, ...this.#settingsFiles])
    const lookedIn = this.#loader.unresolved.flatMap(({ file, specifier }) =>
      /^\.{1,2}\//.test(specifier) ? [path.dirname(path.resolve(path.dirname(file), specifier))] : [],
    )
    return { files, directories: new Set(lookedIn) }
  }

  #findSettings(): void {
    const directories = [this.#root, ...this.#loader.files.map((file) => path.dirname(file))]
    this.#settingsFiles = settingsFiles(this.#root, directories)
    for (const file of this.#settingsFiles) if (!this.#settings.has(file)) this.#settings.read(file)
    this.#settings.keepOnly(this.#settingsFiles)
  }
}
