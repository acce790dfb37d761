import fs from 'node:fs'
import path from 'node:path'
import { watch } from 'chokidar'
import type { FSWatcher } from 'chokidar'

export interface DirectoryWatcherOptions {
  /** Called for a path that may have changed. */
  readonly onPath: (file: string) => void
  /** Called when a directory was replaced, and when its watch is armed: any of its files may have changed without an event. */
  readonly onUnknown: (directory: string) => void
  readonly onError: (error: NodeJS.ErrnoException) => void
}

interface Watched {
  readonly watcher: FSWatcher
  readonly ready: Promise<void>
  isReady: boolean
  /** Of the directory that is watched: a watch belongs to it, not to its name. */
  readonly identity: string
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

  /** Sets the watched directories. */
  watch(directories: ReadonlySet<string>): void {
    for (const directory of this.#directories.keys()) if (!directories.has(directory)) this.#drop(directory)
    for (const directory of directories) if (!this.#directories.has(directory)) this.#arm(directory)
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
    const identity = identityOf(directory)
    if (identity === undefined) {
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
      watcher.once('ready', () => {
        watched.isReady = true
        if (!this.#closed) this.#options.onUnknown(directory)
        resolve()
      })
    })
    const watched: Watched = { watcher, ready, isReady: false, identity }
    watcher.on('all', (event, file) => this.#onEvent(file, event === 'unlinkDir'))
    // chokidar drops a second change within 50 ms; raw events are complete
    watcher.on('raw', (event, name, details) =>
      this.#onEvent(rawPath(directory, name, details), event === 'rename'),
    )
    watcher.on('error', (error) => this.#options.onError(error as NodeJS.ErrnoException))
    this.#directories.set(directory, watched)
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

  /** Watches directories again that were replaced. */
  #verify(): void {
    let missing = false
    let arming = false
    for (const [directory, watched] of this.#directories) {
      const identity = identityOf(directory)
      missing ||= identity === undefined
      if (identity === watched?.identity) continue
      if (watched?.isReady === false) {
        // chokidar would leave the watch of the old directory behind, and give it to the next watcher of this path
        arming = true
        continue
      }
      this.#drop(directory)
      this.#arm(directory)
      this.#options.onUnknown(directory)
    }
    if (missing || arming) this.#verifyIn(arming ? VERIFY_MS : REARM_MS)
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

/** With the time of its creation, because a new directory often gets the inode of the one that was just removed. */
function identityOf(directory: string): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false })
  return stats?.isDirectory() === true ? `${stats.ino}:${stats.birthtimeMs}` : undefined
}
