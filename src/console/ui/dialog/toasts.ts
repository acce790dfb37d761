import { Listeners } from '../../services/listeners.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'info' | 'error'
  readonly text: string
  /** Link shown after the text. */
  readonly link?: { readonly to: string; readonly text: string }
}

const SHOWN_MS = { info: 4000, error: 12_000 } as const

/** Short notifications in the corner of the page. */
export class Toasts {
  readonly #listeners = new Listeners()
  #list: readonly Toast[] = []
  #next = 1

  readonly list = (): readonly Toast[] => this.#list

  readonly subscribe = this.#listeners.add

  info(text: string, link?: Toast['link']): void {
    this.#show({ kind: 'info', text, ...(link && { link }) })
  }

  error(text: string): void {
    this.#show({ kind: 'error', text })
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
