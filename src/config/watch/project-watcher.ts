import path from 'node:path'
import { ChangeBurst, MAX_HOLD_MS } from './change-burst.ts'
import { DirectoryWatcher } from './directory-watcher.ts'
import { FilePoller } from './file-poller.ts'
import { gitLockOf } from './git-lock.ts'

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

const RECHECK_MS = 60
const SETTLE_MS = 300
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
    const added = this.#directories?.watch(new Set([...parents, ...targets.directories])) ?? []
    if (added.length === 0) return
    // changes before the watches were ready caused no event
    this.#recheckIn(RECHECK_MS)
    this.#recheckIn(SETTLE_MS)
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
      onReplaced: (directory) => {
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
