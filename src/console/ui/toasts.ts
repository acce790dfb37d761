export interface Toast {
  readonly id: number
  readonly kind: 'said' | 'failed'
  readonly text: string
  /** Where to go from here. */
  readonly link?: { readonly to: string; readonly text: string }
}

const SHOWN_MS = { said: 4000, failed: 12_000 } as const

/** Short notices in the corner. */
export class Toasts {
  readonly #listeners = new Set<() => void>()
  #list: readonly Toast[] = []
  #next = 1

  readonly list = (): readonly Toast[] => this.#list

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  say(text: string, link?: Toast['link']): void {
    this.#show({ kind: 'said', text, ...(link && { link }) })
  }

  fail(text: string): void {
    this.#show({ kind: 'failed', text })
  }

  close(id: number): void {
    this.#list = this.#list.filter((toast) => toast.id !== id)
    for (const listener of this.#listeners) listener()
  }

  #show(toast: Omit<Toast, 'id'>): void {
    const id = this.#next++
    this.#list = [...this.#list.slice(-3), { ...toast, id }]
    for (const listener of this.#listeners) listener()
    setTimeout(() => this.close(id), SHOWN_MS[toast.kind])
  }
}
