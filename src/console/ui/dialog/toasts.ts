export interface Toast {
  readonly kind: 'info' | 'error'
  readonly text: string
  /** Link shown after the text. */
  readonly link?: { readonly to: string; readonly text: string }
}

/** Messages after actions: copied, cancelled, failed. The toast list shows and announces them. */
export class Toasts {
  #show: ((toast: Toast) => void) | undefined
  /** Toasts from before the code of the list was loaded. */
  #waiting: readonly Toast[] = []

  info(text: string, link?: Toast['link']): void {
    this.#add({ kind: 'info', text, ...(link && { link }) })
  }

  error(text: string, link?: Toast['link']): void {
    this.#add({ kind: 'error', text, ...(link && { link }) })
  }

  /** Connects the list, and returns its disconnect function. */
  connect(show: (toast: Toast) => void): () => void {
    this.#show = show
    for (const toast of this.#waiting) show(toast)
    this.#waiting = []
    return () => {
      this.#show = undefined
    }
  }

  #add(toast: Toast): void {
    if (this.#show) this.#show(toast)
    else this.#waiting = [...this.#waiting, toast]
  }
}
