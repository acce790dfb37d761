import path from 'node:path'
import { delay } from '../../lib/clock.ts'
import type { EnvFiles } from '../env-files.ts'
import type { ModuleLoader } from '../loader/module-loader.ts'
import { SeenSources, readSource } from '../loader/seen-sources.ts'
import type { WatchTargets } from '../watch/project-watcher.ts'
import fs from 'node:fs'

/**
 * The files that determine how imports resolve: the closest `tsconfig.json` of each directory, paths below the root
 * where a closer one could be created, and the files that existing ones extend.
 */
function settingsFiles(root: string, directories: Iterable<string>): Set<string> {
  const found = new Set<string>()
  for (const directory of new Set(directories)) addNearest(directory, { root, found })
  return found
}

function addNearest(directory: string, { root, found }: { root: string; found: Set<string> }): void {
  const file = path.join(directory, 'tsconfig.json')
  if (fs.existsSync(file)) return addWithBases(file, found)
  const inside = !path.relative(root, directory).startsWith('..')
  if (inside) found.add(file)
  const parent = path.dirname(directory)
  if (parent !== directory) addNearest(parent, { root, found })
}

function addWithBases(file: string, found: Set<string>): void {
  if (found.has(file)) return
  found.add(file)
  for (const base of extendedBy(readSource(file) ?? '')) {
    const target = path.resolve(path.dirname(file), base)
    addWithBases(target.endsWith('.json') ? target : `${target}.json`, found)
  }
}

/** The relative paths in `extends`. Packages do not change while the server runs. */
function extendedBy(source: string): string[] {
  const value = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(source)?.[1] ?? ''
  return [...value.matchAll(/"(\.[^"]*)"/g)].map(([, target = '']) => target)
}

interface ProjectInputsOptions {
  readonly root: string
  readonly loader: ModuleLoader<unknown>
  readonly envFiles: EnvFiles
}

/** Changes since the last load. */
interface InputChange {
  /** Changed files of the graph, absolute. They and their importers must run again. */
  readonly files: readonly string[]
  /** Files with unresolved imports that resolve now, absolute. */
  readonly resolved: readonly string[]
  /** Changed files that determine how imports resolve, such as tsconfig.json. */
  readonly settings: readonly string[]
}

const UNFINISHED_WAIT_MS = 20
const UNFINISHED_WAITS = 4

/** The files that a load depends on: the graph's files, `.env` files, and files that determine how imports resolve. */
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

  /** Waits briefly while a file is empty or missing in the middle of a save. */
  async settle(signal: AbortSignal): Promise<void> {
    for (let waits = 0; waits < UNFINISHED_WAITS; waits++) {
      if (!this.#loader.unfinishedAmong(this.#loader.files) && !this.#envFiles.isUnfinished()) return
      await delay(UNFINISHED_WAIT_MS, signal)
    }
  }

  isChange(paths: Iterable<string>): boolean {
    return this.#loader.changedAmong(paths).length > 0
  }

  /** The changes among `paths`, compared by content. Changed settings are reported once. */
  changes(paths: Iterable<string>): InputChange {
    const settings = [...this.#settingsFiles].filter((file) => this.#settings.isChanged(file))
    for (const file of settings) this.#settings.read(file)
    const resolved = this.#loader.unresolved.length > 0 ? this.#loader.resolvedAgain() : []
    return { files: this.#loader.changedAmong(paths), resolved, settings }
  }

  /** Returns the files to watch. Must be called after each load, because the graph may have changed. */
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
