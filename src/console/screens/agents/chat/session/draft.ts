import { Listeners } from '../../../../services/listeners.ts'

/** The message that is being written in a conversation. Kept while other conversations and tabs are shown. */
export class Draft {
  readonly #listeners = new Listeners()
  #text = ''

  readonly subscribe = this.#listeners.add

  readonly text = (): string => this.#text

  set(text: string): void {
    this.#text = text
    this.#listeners.notify()
  }
}
