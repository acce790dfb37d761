import { Listeners } from '../services/listeners.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof THEMES)[number]

const NAME = 'agentserver.theme'

/** The theme: an attribute of the root element, read by the style sheet. */
export class Theme {
  readonly #listeners = new Listeners()
  #choice: ThemeChoice = 'system'

  readonly choice = (): ThemeChoice => this.#choice

  readonly subscribe = this.#listeners.add

  /** Restores the stored choice of this browser. */
  start(): void {
    const stored = localStorage.getItem(NAME)
    this.choose(THEMES.find((one) => one === stored) ?? 'system')
  }

  choose(choice: ThemeChoice): void {
    this.#choice = choice
    const { dataset } = document.documentElement
    if (choice === 'system') delete dataset['theme']
    else dataset['theme'] = choice
    localStorage.setItem(NAME, choice)
    this.#listeners.notify()
  }

  /** Switches to the next theme. */
  turn(): void {
    this.choose(THEMES[(THEMES.indexOf(this.#choice) + 1) % THEMES.length] ?? 'system')
  }
}
