import { Listeners } from '../../services/listeners.ts'

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
  readonly #listeners = new Listeners()
  #list: readonly Toast[] = []
  #next = 1

  readonly list = (): readonly Toast[] => this.#list

  readonly subscribe = this.#listeners.add

  info(text: string, link?: Toast['link']): void {
    this.#show({ kind: 'said', text, ...(link && { link }) })
  }

  error(text: string): void {
    this.#show({ kind: 'failed', text })
  }

  close(id: number): void {
    this.#list = this.#list.filter((toast) => toast.id !== id)
    this.#listeners.notify()
  }

  #show(toast: Omit<Toast, 'id'>): void {
    const id = this.#next++
    this.#list = [...this.#list.slice(-3), { ...toast, id }]
    this.#listeners.notify()
    setTimeout(() => this.close(id), SHOWN_MS[toast.kind])
  }
}
