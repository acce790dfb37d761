export interface ChangeBurstOptions {
  /** Whether something rewrites many files right now. */
  readonly isHeld: () => boolean
  /** `wasHeld`: many files were rewritten meanwhile, and not all may have been told yet. */
  readonly onBurst: (paths: ReadonlySet<string>, wasHeld: boolean) => void
}

const QUIET_MS = 6
const MAX_BURST_MS = 200
/** A lock that a crashed git left behind must not hold changes for ever. */
export const MAX_HOLD_MS = 5000
const HELD_CHECK_MS = 15

/** Joins changes that come close together. */
export class ChangeBurst {
  readonly #options: ChangeBurstOptions
  #paths = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #startedAt = 0
  #wasHeld = false

  constructor(options: ChangeBurstOptions) {
    this.#options = options
  }

  add(path: string): void {
    const now = performance.now()
    if (this.#paths.size === 0) this.#startedAt = now
    this.#paths.add(path)
    this.#flushIn(Math.max(0, Math.min(QUIET_MS, this.#startedAt + MAX_BURST_MS - now)))
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#paths.clear()
  }

  #flushIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#flush(), ms)
  }

  #flush(): void {
    const waited = performance.now() - this.#startedAt
    if (waited < MAX_HOLD_MS && this.#options.isHeld()) {
      this.#wasHeld = true
      return this.#flushIn(HELD_CHECK_MS)
    }
    const paths = this.#paths
    const wasHeld = this.#wasHeld
    this.#paths = new Set()
    this.#wasHeld = false
    this.#options.onBurst(paths, wasHeld)
  }
}
