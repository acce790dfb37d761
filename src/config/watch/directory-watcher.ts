import fs from 'node:fs'
import path from 'node:path'
import { watch } from 'chokidar'
import type { FSWatcher } from 'chokidar'

export interface DirectoryWatcherOptions {
  /** Called for a path that may have changed. */
  readonly onPath: (file: string) => void
  /** Called when a directory was created again or replaced, so that any of its files may have changed. */
  readonly onReplaced: (directory: string) => void
  readonly onError: (error: NodeJS.ErrnoException) => void
}

interface Watched {
  readonly watcher: FSWatcher
  readonly ready: Promise<void>
  readonly inode: number
}

const REARM_MS = 100
const VERIFY_MS = 20

/** Watches directories without their subdirectories, also when they are removed and created again. */
export class DirectoryWatcher {
  readonly #options: DirectoryWatcherOptions
  /** Undefined while a directory does not exist. */
  readonly #directories = new Map<string, Watched | undefined>()
  #verifying: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: DirectoryWatcherOptions) {
    this.#options = options
  }

  /** Sets the watched directories. Returns the new ones. */
  watch(directories: ReadonlySet<string>): string[] {
    for (const directory of this.#directories.keys()) if (!directories.has(directory)) this.#drop(directory)
    const added = [...directories].filter((directory) => !this.#directories.has(directory))
    for (const directory of added) this.#arm(directory)
    return added
  }

  async ready(): Promise<void> {
    await Promise.all(this.#armed().map(({ ready }) => ready))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#verifying)
    const armed = this.#armed()
    this.#directories.clear()
    await Promise.all(armed.map(({ watcher }) => watcher.close()))
  }

  #armed(): Watched[] {
    return [...this.#directories.values()].filter((watched) => watched !== undefined)
  }

  #arm(directory: string): void {
    const inode = inodeOf(directory)
    if (inode === undefined) {
      this.#directories.set(directory, undefined)
      return this.#verifyIn(REARM_MS)
    }
    const watcher = watch(directory, {
      depth: 0,
      ignoreInitial: true,
      // report a save by rename immediately; the content is compared later
      atomic: false,
      ignorePermissionErrors: true,
      ignored: (file, stats) => stats?.isFile() === true && !mayMatter(file),
    })
    const ready = new Promise<void>((resolve) => {
      watcher.once('ready', () => resolve())
    })
    watcher.on('all', (event, file) => this.#onEvent(file, event === 'unlinkDir'))
    // chokidar drops a second change within 50 ms; raw events are complete
    watcher.on('raw', (event, name, details) =>
      this.#onEvent(rawPath(directory, name, details), event === 'rename'),
    )
    watcher.on('error', (error) => this.#options.onError(error as NodeJS.ErrnoException))
    this.#directories.set(directory, { watcher, ready, inode })
  }

  #drop(directory: string): void {
    const watched = this.#directories.get(directory)
    this.#directories.delete(directory)
    void watched?.watcher.close()
  }

  #onEvent(file: string, structural: boolean): void {
    if (this.#closed) return
    if (structural) this.#verifyIn(VERIFY_MS)
    if (mayMatter(file)) this.#options.onPath(file)
  }

  #verifyIn(ms: number): void {
    if (this.#closed) return
    this.#verifying ??= setTimeout(() => {
      this.#verifying = undefined
      this.#verify()
    }, ms)
  }

  /** Watches directories again whose inode changed: a watch belongs to the inode, not to the name. */
  #verify(): void {
    let missing = false
    for (const [directory, watched] of this.#directories) {
      const inode = inodeOf(directory)
      missing ||= inode === undefined
      if (inode === watched?.inode) continue
      this.#drop(directory)
      this.#arm(directory)
      this.#options.onReplaced(directory)
    }
    if (missing) this.#verifyIn(REARM_MS)
  }
}

/** Whether a file can be part of a project. Others are not watched. */
function mayMatter(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|json)$/.test(file) || path.basename(file).startsWith('.env')
}

function rawPath(directory: string, name: string, details: unknown): string {
  const watched =
    typeof details === 'object' && details !== null && 'watchedPath' in details
      ? details.watchedPath
      : directory
  return watched === directory ? path.join(directory, name) : String(watched)
}

function inodeOf(directory: string): number | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false })
  return stats?.isDirectory() === true ? stats.ino : undefined
}
