import { Listeners } from './listeners.ts'

export interface StoredListOptions<T> {
  /** The key in the local storage. */
  readonly name: string
  readonly isItem: (value: unknown) => value is T
  readonly maxItems: number
}

/** A list that is kept in this browser, and shared by its tabs. */
export class StoredList<T> {
  readonly #options: StoredListOptions<T>
  readonly #listeners = new Listeners()
  #items: readonly T[]

  constructor(options: StoredListOptions<T>) {
    this.#options = options
    this.#items = this.#read()
    addEventListener('storage', ({ key }) => {
      // null: everything was removed
      if (key !== null && key !== options.name) return
      this.#items = this.#read()
      this.#listeners.notify()
    })
  }

  readonly items = (): readonly T[] => this.#items

  readonly subscribe = this.#listeners.add

  /** Replaces the list; items beyond the limit are dropped. Returns whether the browser has stored it. */
  set(items: readonly T[]): boolean {
    this.#items = items.slice(0, this.#options.maxItems)
    this.#listeners.notify()
    try {
      localStorage.setItem(this.#options.name, JSON.stringify(this.#items))
      return true
    } catch {
      // the storage is full, or not allowed: the list is that of this page
      return false
    }
  }

  #read(): readonly T[] {
    const { name, isItem, maxItems } = this.#options
    try {
      const stored = JSON.parse(localStorage.getItem(name) ?? '[]') as unknown
      return Array.isArray(stored) ? stored.filter(isItem).slice(0, maxItems) : []
    } catch {
      // somebody else's value
      return []
    }
  }
}
