import path from 'node:path'
import fs from 'node:fs'
import { ChangeBurst, MAX_HOLD_MS } from './change-burst.ts'
import { DirectoryWatcher } from './directory-watcher.ts'

export interface ProjectWatcherOptions {
  readonly root: string
  /** Polling interval in milliseconds. Undefined to use file events. */
  readonly poll: number | undefined
  /** Called for paths that may have changed. */
  readonly onChange: (paths: ReadonlySet<string>) => void
  /** Called when any watched file may have changed without an event. */
  readonly onRecheck: () => void
  readonly onHint: (text: string) => void
}

export interface WatchTargets {
  /** Absolute. They may be missing. */
  readonly files: ReadonlySet<string>
  /** Other directories in which files may be created. */
  readonly directories: ReadonlySet<string>
}

/** Beyond the 50 ms in which chokidar drops a second change of a file. */
const RECHECK_MS = 60
/** Unnoticed by people, and cheap for the files of a project. */
const FALLBACK_POLL_MS = 300
const OUT_OF_WATCHES = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOSYS'])

/** Watches a project's files, by events or by polling. */
export class ProjectWatcher {
  readonly #options: ProjectWatcherOptions
  readonly #burst: ChangeBurst
  /** Whether git is writing the project's files. */
  readonly #isHeld: () => boolean
  readonly #rechecks = new Set<NodeJS.Timeout>()
  #targets: WatchTargets = { files: new Set(), directories: new Set() }
  #directories: DirectoryWatcher | undefined
  #poller: FilePoller | undefined

  constructor(options: ProjectWatcherOptions) {
    this.#options = options
    this.#isHeld = gitLockOf(options.root)
    this.#burst = new ChangeBurst({
      isHeld: this.#isHeld,
      onBurst: (paths, wasHeld) => {
        if (wasHeld) options.onRecheck()
        else options.onChange(paths)
        this.#recheckIn(RECHECK_MS)
      },
    })
    if (options.poll !== undefined) this.#startPolling(options.poll)
    else this.#directories = this.#directoryWatcher()
  }

  /** Sets the watched files and directories. */
  watch(targets: WatchTargets): void {
    this.#targets = targets
    this.#poller?.watch(targets.files)
    const parents = [...targets.files].map((file) => path.dirname(file))
    this.#directories?.watch(new Set([...parents, ...targets.directories]))
  }

  /** Resolves when events are received. */
  async ready(): Promise<void> {
    await this.#directories?.ready()
  }

  async close(): Promise<void> {
    this.#burst.close()
    this.#poller?.close()
    for (const timer of this.#rechecks) clearTimeout(timer)
    await this.#directories?.close()
  }

  #directoryWatcher(): DirectoryWatcher {
    return new DirectoryWatcher({
      onPath: (file) => {
        const { files, directories } = this.#targets
        if (files.has(file) || directories.has(path.dirname(file))) this.#burst.add(file)
      },
      onUnknown: (directory) => {
        this.#burst.add(directory)
        for (const file of this.#targets.files) if (path.dirname(file) === directory) this.#burst.add(file)
      },
      onError: (error) => this.#onError(error),
    })
  }

  #onError(error: NodeJS.ErrnoException): void {
    const code = error.code ?? ''
    if (!OUT_OF_WATCHES.has(code)) {
      return this.#options.onHint(`Watching files: ${error.message}`)
    }
    if (this.#poller !== undefined) return
    this.#options.onHint(outOfWatchesHint(code))
    void this.#directories?.close()
    this.#directories = undefined
    this.#startPolling(FALLBACK_POLL_MS)
    this.#recheckIn(RECHECK_MS)
  }

  #startPolling(everyMs: number): void {
    this.#poller = new FilePoller({ everyMs, onPath: (file) => this.#burst.add(file) })
    this.#poller.watch(this.#targets.files)
  }

  #recheckIn(ms: number, waited = 0): void {
    const timer = setTimeout(() => {
      this.#rechecks.delete(timer)
      if (waited < MAX_HOLD_MS && this.#isHeld()) this.#recheckIn(RECHECK_MS, waited + ms)
      else this.#options.onRecheck()
    }, ms)
    this.#rechecks.add(timer)
  }
}

function outOfWatchesHint(code: string): string {
  const fallback = `Polling for changes every ${FALLBACK_POLL_MS} ms instead.`
  if (code === 'ENOSPC') {
    return `The limit of file watches is reached (ENOSPC). ${fallback} To raise the limit: sysctl fs.inotify.max_user_watches=524288`
  }
  if (code === 'ENOSYS') return `File events are not supported (ENOSYS). ${fallback}`
  return `The limit of open files is reached (${code}). ${fallback} To raise the limit: ulimit -n 8192`
}

interface FilePollerOptions {
  readonly everyMs: number
  readonly onPath: (file: string) => void
}

/** Watches files by polling, for file systems without change events. */
class FilePoller {
  readonly #timer: NodeJS.Timeout
  readonly #states = new Map<string, string>()

  constructor({ everyMs, onPath }: FilePollerOptions) {
    this.#timer = setInterval(() => {
      for (const [file, known] of this.#states) {
        const state = stateOf(file)
        if (state === known) continue
        this.#states.set(file, state)
        onPath(file)
      }
    }, everyMs)
  }

  /** Sets the watched files. */
  watch(files: ReadonlySet<string>): void {
    for (const file of this.#states.keys()) if (!files.has(file)) this.#states.delete(file)
    for (const file of files) if (!this.#states.has(file)) this.#states.set(file, stateOf(file))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

function stateOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'absent' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`
}

/** Returns a function that checks whether git is writing to the working tree of `directory`. */
function gitLockOf(directory: string): () => boolean {
  const gitDirectory = findGitDirectory(directory)
  if (gitDirectory === undefined) return () => false
  const lock = path.join(gitDirectory, 'index.lock')
  return () => fs.existsSync(lock)
}

function findGitDirectory(directory: string): string | undefined {
  const candidate = path.join(directory, '.git')
  const stats = fs.statSync(candidate, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return candidate
  // a worktree or submodule has a file that names the directory
  if (stats?.isFile() === true) {
    const target = /^gitdir: (.+)$/m.exec(fs.readFileSync(candidate, 'utf8'))?.[1]
    return target === undefined ? undefined : path.resolve(directory, target.trim())
  }
  const parent = path.dirname(directory)
  return parent === directory ? undefined : findGitDirectory(parent)
}
