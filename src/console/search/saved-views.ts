import { StoredList } from '../services/stored-list.ts'

/** A list with its filters, saved under a name. */
export interface SavedView {
  readonly name: string
  /** Relative to the console: `executions?q=status%3Aerror`. */
  readonly to: string
}

const MAX_VIEWS = 100
const MAX_NAME_CHARS = 80
const MAX_ADDRESS_CHARS = 2000

/** The saved views, in alphabetical order, kept in this browser. */
export class SavedViews {
  readonly #list = new StoredList<SavedView>({
    name: 'agentserver.saved-views',
    isItem: isSavedView,
    maxItems: MAX_VIEWS,
  })

  readonly items = this.#list.items

  readonly subscribe = this.#list.subscribe

  /** Saves a view, or renames the one named `before`. Returns why that is not possible. */
  save({ name: typed, to }: SavedView, before?: string): string | undefined {
    const name = typed.trim()
    if (name === '') return 'Enter a name'
    if (name.length > MAX_NAME_CHARS) return `The name must have at most ${MAX_NAME_CHARS} characters`
    if (to.length > MAX_ADDRESS_CHARS) return 'The search is too long to be saved: shorten it'
    const others = this.items().filter((view) => view.name !== before)
    if (others.some((view) => view.name.toLowerCase() === name.toLowerCase()))
      return `A view named "${name}" exists: choose another name`
    if (others.length >= MAX_VIEWS) return `There are ${MAX_VIEWS} views: delete one first`
    const views = [...others, { name, to }].toSorted((a, b) => a.name.localeCompare(b.name))
    return this.#list.set(views)
      ? undefined
      : 'The browser does not store it: allow storage for this page, or free some'
  }

  delete(name: string): void {
    this.#list.set(this.items().filter((view) => view.name !== name))
  }
}

function isSavedView(value: unknown): value is SavedView {
  const { name, to } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>
  return typeof name === 'string' && name !== '' && typeof to === 'string'
}
