export interface ReloadRequest {
  /** Files that may have changed. */
  readonly paths: ReadonlySet<string>
  /** Load everything again, changed or not. */
  readonly all: boolean
}

export interface ReloadQueueOptions {
  /** Does what was requested; gives up when the signal aborts. */
  readonly turn: (request: ReloadRequest, signal: AbortSignal) => Promise<void>
  /** Whether one of `paths` differs from what was last loaded. */
  readonly isChange: (paths: Iterable<string>) => boolean
}

/** How long a turn may go on once there is a newer change. */
const SUPERSEDE_MS = 500

/** One turn at a time; what is requested meanwhile is merged into the next one. */
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

  /** Whether something waits for the next turn. */
  get hasMore(): boolean {
    return this.#requested !== undefined
  }

  /** Fulfils when there is nothing left to do. */
  async request(paths: Iterable<string>, { all = false }: { all?: boolean } = {}): Promise<void> {
    if (this.#closed) return
    const requested = [...paths]
    this.#requested ??= { paths: new Set(), all: false }
    for (const path of requested) this.#requested.paths.add(path)
    this.#requested.all ||= all
    if (this.#working !== undefined && (all || this.#options.isChange(requested))) this.#supersedeSoon()
    await (this.#working ??= this.#work())
  }

  /** Gives up the turn that runs, and takes no further requests. */
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
        await this.#options.turn(request, this.#abort.signal)
        clearTimeout(this.#superseding)
        this.#superseding = undefined
      }
    } finally {
      clearTimeout(this.#superseding)
      this.#superseding = undefined
      this.#working = undefined
    }
  }

  /** A top-level await that never ends must not keep newer code out. */
  #supersedeSoon(): void {
    this.#superseding ??= setTimeout(() => this.#abort.abort(), SUPERSEDE_MS)
  }
}
