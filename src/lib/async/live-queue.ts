import type { EventHub } from './event-hub.ts'

/** What waits for a slow reader may be this large, in characters. */
export const MAX_WAITING = 1024 * 1024

/**
 * Items that wait for their reader. Those of more than {@link MAX_WAITING} characters, and those that a newer one with the
 * same key replaces, are dropped, the oldest first.
 */
export class BoundedQueue<T> {
  readonly #items = new Map<unknown, { readonly item: T; readonly size: number }>()
  #size = 0

  add(item: T, size: number, key: unknown = {}): void {
    this.#remove(key)
    this.#items.set(key, { item, size })
    this.#size += size
    for (const [oldest] of this.#items) {
      if (this.#size <= MAX_WAITING || this.#items.size === 1) return
      this.#remove(oldest)
    }
  }

  /** Removes the items that are due, and returns them in their order. */
  take(isDue: (item: T) => boolean): T[] {
    const due: T[] = []
    for (const [key, { item }] of this.#items) {
      if (!isDue(item)) continue
      due.push(item)
      this.#remove(key)
    }
    return due
  }

  clear(): void {
    this.#items.clear()
    this.#size = 0
  }

  #remove(key: unknown): void {
    this.#size -= this.#items.get(key)?.size ?? 0
    this.#items.delete(key)
  }
}

/** Something between the stored items of a stream. It is not stored, and has no number. */
export interface LiveItem {
  /** The number of the stored item that it follows. */
  readonly after: number
  /** JSON. */
  readonly data: string
}

/** The live items of a topic for one reader of its stored items, bounded like {@link BoundedQueue}. */
export class LiveQueue {
  readonly #queue = new BoundedQueue<LiveItem>()
  readonly close: () => void

  /** @param onMore called when there are more */
  constructor(hub: EventHub<LiveItem>, topic: string, onMore: () => void) {
    this.close = hub.subscribe(topic, (item) => {
      this.#queue.add(item, item.data.length)
      onMore()
    })
  }

  /** Those that come before the stored item behind number `last`. */
  take(last: number): string[] {
    return this.#queue.take(({ after }) => after <= last).map(({ data }) => data)
  }
}
