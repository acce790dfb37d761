import { StoredList } from '../services/stored-list.ts'

/** A page of one thing, such as an execution, that was opened. */
export interface RecentPage {
  /** Relative to the console: `executions/abc`. */
  readonly path: string
  readonly title: string
}

const MAX_PAGES = 30
const MAX_TITLE_CHARS = 200

/** The pages that were opened last, newest first, kept in this browser. */
export class RecentPages {
  readonly #list = new StoredList<RecentPage>({
    name: 'agentserver.recent',
    isItem: isRecentPage,
    maxItems: MAX_PAGES,
  })

  readonly items = this.#list.items

  /** Adds a page with its title; lists and Home are no such pages. */
  add(path: string, title: string): void {
    if (!/^[a-z]+\/[^/]+$/.test(path)) return
    const page = { path, title: title.slice(0, MAX_TITLE_CHARS) }
    const [first] = this.#list.items()
    if (first?.path === path && first.title === page.title) return
    this.#list.set([page, ...this.#list.items().filter((one) => one.path !== path)])
  }
}

function isRecentPage(value: unknown): value is RecentPage {
  const { path, title } = (value ?? {}) as Partial<Record<keyof RecentPage, unknown>>
  return typeof path === 'string' && typeof title === 'string'
}
