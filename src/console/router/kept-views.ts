import { captureView, isView } from './view-memory.ts'
import type { View } from './view-memory.ts'

const NAME = 'agentserver.views'
const MAX_VIEWS = 50

/** How each page of the history was left: its scroll positions, the focus and the values of `useKeptState`. */
export class KeptViews {
  readonly #views = read()
  #key = ''

  /** The page of the history that is shown, as it was left. */
  get current(): View {
    const known = this.#views.get(this.#key) ?? { values: {}, scroll: {} }
    this.#views.set(this.#key, known)
    return known
  }

  /** Adds a page to the history. */
  push(href: string): void {
    history.pushState({ key: newKey() }, '', href)
  }

  /** Puts the shown page after the one that the history is at. */
  stay(href: string): void {
    history.pushState({ key: this.#key }, '', href)
  }

  /** Shows the page that the history is at. Returns whether it was left before. */
  enter({ isSame = false } = {}): boolean {
    const from = this.#key
    const state = history.state as { readonly key?: unknown } | null
    const key = typeof state?.key === 'string' ? state.key : newKey()
    if (key !== state?.key) history.replaceState({ key }, '')
    if (key === from) return false
    if (from !== '') this.#leave()
    this.#key = key
    const isKnown = this.#views.has(key)
    // a change of the search is no new page: what it kept continues
    if (!isKnown && isSame) this.#views.set(key, this.#views.get(from) ?? { values: {}, scroll: {} })
    return isKnown && !isSame
  }

  /** Stores all of them for a reload of the page. */
  store(): void {
    this.#leave()
    const newest = [...this.#views].slice(-MAX_VIEWS)
    try {
      sessionStorage.setItem(NAME, JSON.stringify(newest))
    } catch {
      // more than the browser stores: after a reload, pages are shown from their top
      sessionStorage.removeItem(NAME)
    }
  }

  #leave(): void {
    const { values } = this.current
    this.#views.delete(this.#key)
    this.#views.set(this.#key, { values, ...captureView() })
    const [oldest] = this.#views.keys()
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest)
  }
}

function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join('-')
}

function read(): Map<string, View> {
  try {
    const stored = JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as readonly (readonly [string, View])[]
    return new Map(stored.filter(([, view]) => isView(view)))
  } catch {
    // not written by this version of the console
    return new Map()
  }
}
