export interface ChangeBurstOptions {
  /** Whether many files are being rewritten, for example by git. */
  readonly isHeld: () => boolean
  /** `wasHeld`: many files were rewritten, so `paths` may be incomplete. */
  readonly onBurst: (paths: ReadonlySet<string>, wasHeld: boolean) => void
}

/** A save is several events; a longer wait for the next one would be felt. */
const QUIET_MS = 6
const MAX_BURST_MS = 200
/** The maximum time that changes are held, because a crashed git leaves its lock behind. */
export const MAX_HOLD_MS = 5000
const HELD_CHECK_MS = 15

/** Combines changes that happen in quick succession. */
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
