import { Listeners } from '../services/listeners.ts'

/** The editors whose links are known, by the scheme of their links. */
export const EDITORS = { vscode: 'VS Code', cursor: 'Cursor', custom: 'Another editor' } as const

/** How files are opened in an editor. */
export interface EditorSettings {
  readonly editor: keyof typeof EDITORS
  /** The link of another editor, with `{file}`, `{line}` and `{column}`. */
  readonly template: string
  /** The directory of the project on this computer; empty: that of the server. */
  readonly directory: string
}

const NAME = 'agentserver.editor'
const INITIAL: EditorSettings = { editor: 'vscode', template: '', directory: '' }
const TEXTS = ['template', 'directory'] as const

/** The editor that links of source files open, kept in this browser. */
export class EditorChoice {
  readonly #listeners = new Listeners()
  #settings = stored()

  readonly settings = (): EditorSettings => this.#settings

  readonly subscribe = this.#listeners.add

  choose(changes: Partial<EditorSettings>): void {
    this.#settings = { ...this.#settings, ...changes }
    localStorage.setItem(NAME, JSON.stringify(this.#settings))
    this.#listeners.notify()
  }
}

function stored(): EditorSettings {
  try {
    const value = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Readonly<Record<string, unknown>>
    const texts = TEXTS.filter((name) => typeof value[name] === 'string').map((name) => [name, value[name]])
    const isKnown = typeof value['editor'] === 'string' && Object.hasOwn(EDITORS, value['editor'])
    return { ...INITIAL, ...Object.fromEntries(texts), ...(isKnown && { editor: value['editor'] }) }
  } catch {
    // somebody else's value
    return INITIAL
  }
}
