export interface ReloadRequest {
  /** Files that may have changed. */
  readonly paths: ReadonlySet<string>
  /** Load all files again, also unchanged ones. */
  readonly all: boolean
}

export interface ReloadQueueOptions {
  /** Runs a request. Stops when the signal aborts. */
  readonly load: (request: ReloadRequest, signal: AbortSignal) => Promise<void>
  /** Whether the content of one of `paths` differs from the last load. */
  readonly isChange: (paths: Iterable<string>) => boolean
}

/** The time until a running load is aborted in favour of a newer change. */
const SUPERSEDE_MS = 500

/** Runs one load at a time. Requests during a load are merged into the next one. */
export class ReloadQueue {
  readonly #options: ReloadQueueOptions
  #requested: { readonly paths: Set<string>; all: boolean } | undefined
  #working: Promise<void> | undefined
  #abort = new AbortController()
  #superseding: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ReloadQueueOptions) {
    this.#options = options
  }

  /** Whether another load is requested. */
  get hasMore(): boolean {
    return this.#requested !== undefined
  }

  /** Resolves when all requests are done. */
  async request(paths: Iterable<string>, { all = false }: { all?: boolean } = {}): Promise<void> {
    if (this.#closed) return
    const requested = [...paths]
    this.#requested ??= { paths: new Set(), all: false }
    for (const path of requested) this.#requested.paths.add(path)
    this.#requested.all ||= all
    if (this.#working !== undefined && (all || this.#options.isChange(requested))) this.#supersedeSoon()
    await (this.#working ??= this.#work())
  }

  /** Aborts the running load and ignores further requests. */
  async close(): Promise<void> {
    this.#closed = true
    this.#abort.abort()
    await this.#working
  }

  async #work(): Promise<void> {
    try {
      while (this.#requested !== undefined && !this.#closed) {
        const request = this.#requested
        this.#requested = undefined
        this.#abort = new AbortController()
        await this.#options.load(request, this.#abort.signal)
        clearTimeout(this.#superseding)
        this.#superseding = undefined
      }
    } finally {
      clearTimeout(this.#superseding)
      this.#superseding = undefined
      this.#working = undefined
    }
  }

  /** A top-level await that never ends must not block newer code. */
  #supersedeSoon(): void {
    this.#superseding ??= setTimeout(() => this.#abort.abort(), SUPERSEDE_MS)
  }
}
