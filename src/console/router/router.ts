import type { ComponentType } from 'react'
import { Listeners } from '../services/listeners.ts'
import { KeptViews } from './kept-views.ts'
import { matchRoute } from './route.ts'
import type { Route, RouteMatch, ScreenProps } from './route.ts'
import { UnsavedEdits } from './unsaved-edits.ts'

/** The current location of the console. */
export interface RouterLocation {
  /** Relative to the console, without a leading slash: `executions/abc`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly search: URLSearchParams
  readonly hash: string
  /** Undefined when no route matches. */
  readonly screen: ComponentType<ScreenProps> | undefined
  /** Number of path changes: the focus moves with it, and not with changes of the search. */
  readonly visit: number
  /** It was left before, and is shown again by Back, Forward or a reload of the page. */
  readonly isReturn: boolean
  /** The page was just opened, and the code of the screen is loading. */
  readonly opening?: boolean
  /** Why the code of the screen could not be loaded. */
  readonly failure?: unknown
}

export interface NavigateOptions {
  /** Replaces the current history entry. */
  readonly replace?: boolean
}

/**
 * A router on the history API, with paths relative to the console. The code of a screen is loaded before the page
 * changes, so that no fallback flashes up. Only the first page shows its heading before its code is loaded.
 */
export class Router {
  readonly #routes: readonly Route[]
  readonly #base: string
  readonly #mustReload: () => boolean
  readonly #listeners = new Listeners()
  /** How each page of the history was left. */
  readonly views = new KeptViews()
  readonly unsaved = new UnsavedEdits()
  /** URL of the shown page. */
  #shown = location.href
  #location: RouterLocation | undefined
  #turn = 0

  /** `mustReload`: whether the code of other screens can't be loaded into this page any more. */
  constructor(routes: readonly Route[], base: string, mustReload: () => boolean) {
    this.#routes = routes
    this.#mustReload = mustReload
    this.#base = base
  }

  readonly location = (): RouterLocation | undefined => this.#location

  readonly subscribe = this.#listeners.add

  /** Renders the current URL, now and after each back or forward navigation. */
  start(): void {
    addEventListener('popstate', () => this.#moved())
    addEventListener('beforeunload', (event) => this.unsaved.exist && event.preventDefault())
    addEventListener('pagehide', () => this.views.store())
    const isReturn = this.views.enter()
    // the views restore the scroll positions
    history.scrollRestoration = 'manual'
    const path = this.#path()
    const match = matchRoute(this.#routes, path)
    this.#location = {
      ...locationFor(path, match),
      visit: 1,
      isReturn,
      screen: undefined,
      opening: match !== undefined,
    }
    if (match) void this.#show()
  }

  /** The href of a path such as `executions/abc?tab=events`. */
  href(to: string): string {
    return this.#base + to
  }

  /** The absolute URL of a path, to be copied. */
  url(to: string): string {
    return new URL(this.href(to), location.origin).href
  }

  async navigate(to: string, options: NavigateOptions = {}): Promise<void> {
    const isSame = to.replace(/[?#].*/, '') === this.#location?.path
    if (isSame) await this.#go(to, options)
    else this.unsaved.request(() => void this.#go(to, options))
  }

  /** Shows another page of the history, after asking if the shown one has edits. */
  #moved(): void {
    if (!this.unsaved.exist || this.#path() === this.#location?.path) return void this.#show()
    // the page stays until the answer: the history gets it again
    this.views.stay(this.#shown)
    this.unsaved.request(() => history.back())
  }

  async #go(to: string, { replace = false }: NavigateOptions): Promise<void> {
    const href = this.href(to)
    if (replace) history.replaceState(history.state, '', href)
    else if (href !== location.pathname + location.search + location.hash) this.views.push(href)
    if (this.#mustReload() && this.#path() !== this.#location?.path) location.reload()
    else await this.#show()
  }

  /** Loads the code of a screen that is likely to be shown next. */
  readonly preload = (to: string): void => {
    const match = matchRoute(this.#routes, to.replace(/[?#].*/, ''))
    // a failure is reported when the screen is shown
    match?.route.load().catch(() => undefined)
  }

  /** Changes search parameters only; empty ones are removed. */
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
    // without a delay on the same path, or a field bound to the URL would briefly show its old value
    const loaded = screen ? { screen } : await load(match?.route)
    if (turn !== this.#turn) return
    const isSame = this.#location?.path === path
    const visit = (this.#location?.visit ?? 0) + (isSame ? 0 : 1)
    const isFirst = this.#location?.opening === true
    const isReturn = isFirst ? this.#location?.isReturn === true : this.views.enter({ isSame })
    this.#location = { ...locationFor(path, match), visit, isReturn, ...loaded }
    this.#shown = location.href
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
