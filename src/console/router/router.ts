import type { ComponentType } from 'react'
import { Listeners } from '../services/listeners.ts'
import { matchRoute } from './route.ts'
import type { Route, RouteMatch, ScreenProps } from './route.ts'

/** Where the console is. */
export interface RouterLocation {
  /** Below the console's address, without a leading slash: `executions/abc`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly search: URLSearchParams
  readonly hash: string
  /** Undefined where no route fits. */
  readonly screen: ComponentType<ScreenProps> | undefined
  /** Counts changes of the path: focus and scrolling follow it, not the search. */
  readonly visit: number
  /** The page has just opened, and the screen's code is on its way. */
  readonly opening?: boolean
  /** The screen's code did not come. */
  readonly failure?: unknown
}

export interface NavigateOptions {
  /** In place of the current entry of the history. */
  readonly replace?: boolean
}

/**
 * A router on the history API. Addresses are relative to where the console is served. A screen's code is
 * fetched before anything changes on the page: no fallback flashes up. Only when the page opens there is
 * nothing yet that could stay, and the heading comes first.
 */
export class Router {
  readonly #routes: readonly Route[]
  readonly #base: string
  readonly #listeners = new Listeners()
  #location: RouterLocation | undefined
  #turn = 0

  constructor(routes: readonly Route[], base: string) {
    this.#routes = routes
    this.#base = base
  }

  readonly location = (): RouterLocation | undefined => this.#location

  readonly subscribe = this.#listeners.add

  /** Shows what the address bar says, now and whenever the person goes back or forward. */
  start(): void {
    addEventListener('popstate', () => void this.#show())
    const path = this.#path()
    const match = matchRoute(this.#routes, path)
    this.#location = {
      ...locationFor(path, match),
      visit: 1,
      screen: undefined,
      opening: match !== undefined,
    }
    if (match) void this.#show()
  }

  /** `executions/abc?tab=events` → the address for a link. */
  href(to: string): string {
    return this.#base + to
  }

  /** The same as an absolute URL, to be copied. */
  url(to: string): string {
    return new URL(this.href(to), location.origin).href
  }

  async navigate(to: string, { replace = false }: NavigateOptions = {}): Promise<void> {
    const href = this.href(to)
    if (replace) history.replaceState(null, '', href)
    else if (href !== location.pathname + location.search + location.hash) history.pushState(null, '', href)
    await this.#show()
  }

  /** Changes parameters of the address, and nothing else; empty ones go. */
  setSearch(
    changes: Readonly<Record<string, string | undefined>>,
    { replace = true }: NavigateOptions = {},
  ): void {
    const search = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') search.delete(name)
      else search.set(name, value)
    }
    const text = search.toString()
    void this.navigate(this.#path() + (text === '' ? '' : `?${text}`), { replace })
  }

  async #show(): Promise<void> {
    const turn = ++this.#turn
    const path = this.#path()
    const match = matchRoute(this.#routes, path)
    const { screen } = this.#location?.path === path ? this.#location : {}
    // at once: a field whose value lives in the address would for a moment show the one before
    const loaded = screen ? { screen } : await load(match?.route)
    if (turn !== this.#turn) return
    const visit = (this.#location?.visit ?? 0) + (this.#location?.path === path ? 0 : 1)
    this.#location = { ...locationFor(path, match), visit, ...loaded }
    this.#listeners.notify()
  }

  #path(): string {
    return location.pathname.startsWith(this.#base) ? location.pathname.slice(this.#base.length) : ''
  }
}

function locationFor(
  path: string,
  match: RouteMatch | undefined,
): Pick<RouterLocation, 'path' | 'params' | 'search' | 'hash'> {
  const { search, hash } = location
  return { path, params: match?.params ?? {}, search: new URLSearchParams(search), hash: hash.slice(1) }
}

async function load(route: Route | undefined): Promise<Pick<RouterLocation, 'screen' | 'failure'>> {
  try {
    return { screen: await route?.load() }
  } catch (failure) {
    return { screen: undefined, failure }
  }
}
