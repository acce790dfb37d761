interface Waiting<Item> {
  readonly item: Item
  readonly resolve: (stored: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Group commit: items that come within a time, or while others are being stored, are stored together. */
export class GroupWrites<Item> {
  readonly #write: (items: readonly Item[]) => Promise<readonly boolean[]>
  readonly #delayMs: number
  #waiting: Waiting<Item>[] = []
  #isBusy = false
  #timer: NodeJS.Timeout | undefined

  /** @param write stores items; `false` for those that were refused */
  constructor(write: (items: readonly Item[]) => Promise<readonly boolean[]>, delayMs = 0) {
    this.#write = write
    this.#delayMs = delayMs
  }

  /** Resolves with whether the item was stored. */
  add(item: Item): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  /** Stores what waits without a delay. */
  hurry(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    void this.#flush()
  }

  #schedule(): void {
    if (this.#isBusy || this.#waiting.length === 0) return
    this.#isBusy = true
    const flush = () => void this.#flush()
    if (this.#delayMs === 0) setImmediate(flush)
    else this.#timer = setTimeout(flush, this.#delayMs)
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    try {
      const stored = await this.#write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] ?? false)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#isBusy = false
    this.#schedule()
  }
}
