import { Listeners } from '../services/listeners.ts'
import { isModalOpen } from '../keys/key-bindings.ts'

/**
 * `current`; `incomplete` when some code of this page could not be loaded; `outdated` when the server has another build
 * of the console, as after an update.
 */
export type BuildState = 'current' | 'incomplete' | 'outdated'

export interface PageBuildOptions {
  /** The page of the console as the server has it now; undefined when it does not respond. */
  readonly fetchPage: () => Promise<string | undefined>
  /** File name of the entry script of this page, which names its build. */
  readonly script: string
  /** A number that changes with each navigation. */
  readonly visit: () => number
}

const NAME = 'agentserver.reloaded'
/** An incomplete page is not reloaded more often. */
const INTERVAL_MS = 60_000

/**
 * Whether this page fits the server. Browsers don't load a module again that failed once, and an update removes the
 * files of an older page: both are mended by a reload. It happens by itself unless something was typed since the last
 * navigation, and never twice for the same reason.
 */
export class PageBuild {
  readonly #options: PageBuildOptions
  readonly #listeners = new Listeners()
  #state: BuildState = 'current'
  #isIncomplete = false
  /** Visit in which something was typed last. */
  #typedIn = 0

  constructor(options: PageBuildOptions) {
    this.#options = options
  }

  readonly state = (): BuildState => this.#state

  readonly subscribe = this.#listeners.add

  start(): void {
    addEventListener('vite:preloadError', () => {
      this.#isIncomplete = true
      void this.check()
    })
    const typed = ({ target }: Event) => {
      // filters are in the URL
      const isFilter = target instanceof Element && target.closest('[role=search], [data-filter]') !== null
      if (!isFilter) this.#typedIn = this.#options.visit()
    }
    addEventListener('input', typed, true)
  }

  /** Compares this page with the server, after it was away or when code could not be loaded. */
  async check(): Promise<void> {
    const page = await this.#options.fetchPage()
    if (page === undefined) return
    const isOutdated = !page.includes(this.#options.script)
    this.#state = isOutdated ? 'outdated' : this.#isIncomplete ? 'incomplete' : 'current'
    if (this.#state !== 'current' && !this.#hasInput() && this.#mayReload(page)) location.reload()
    this.#listeners.notify()
  }

  #hasInput(): boolean {
    return this.#typedIn === this.#options.visit() || isModalOpen()
  }

  /** Whether this page was not reloaded for this reason yet; remembers that it is now. */
  #mayReload(page: string): boolean {
    const { script } = this.#options
    const served = /assets\/[\w-]+\.js/.exec(page)?.[0] ?? ''
    const reason = this.#state === 'outdated' ? `${script} ${served}` : script
    const [before, at = '0'] = (sessionStorage.getItem(NAME) ?? '').split('@')
    const isAgain = this.#state === 'outdated' || Date.now() < Number(at) + INTERVAL_MS
    if (before === reason && isAgain) return false
    sessionStorage.setItem(NAME, `${reason}@${Date.now()}`)
    return true
  }
}
