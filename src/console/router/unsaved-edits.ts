import { Listeners } from '../services/listeners.ts'

/** The edited forms of the page. Leaving the page, or replacing its form, asks before their edits are lost. */
export class UnsavedEdits {
  readonly #forms = new Set<symbol>()
  readonly #listeners = new Listeners()
  #asked: (() => void) | undefined

  readonly subscribe = this.#listeners.add

  /** What waits for the user's decision. */
  readonly asked = (): (() => void) | undefined => this.#asked

  get exist(): boolean {
    return this.#forms.size > 0
  }

  /** Adds an edited form. Returns the function that removes it. */
  add(): () => void {
    const form = Symbol('form')
    this.#forms.add(form)
    return () => this.#forms.delete(form)
  }

  /** Runs what discards the edits, after asking if there are any. */
  request(run: () => void): void {
    if (this.exist) this.#ask(run)
    else run()
  }

  readonly keep = (): void => this.#ask(undefined)

  readonly discard = (): void => {
    const run = this.#asked
    this.#forms.clear()
    this.#ask(undefined)
    run?.()
  }

  #ask(run: (() => void) | undefined): void {
    this.#asked = run
    this.#listeners.notify()
  }
}
