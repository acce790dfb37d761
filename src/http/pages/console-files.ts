import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { BuiltFiles } from './built-files.ts'

/** The page, split at the relative URLs that depend on the depth of the request's path. */
export interface ConsolePage {
  readonly parts: readonly string[]
  readonly hash: string
}

/** The files of the built console, and its page. */
export class ConsoleFiles extends BuiltFiles {
  readonly #index: string
  #page: ConsolePage | undefined

  constructor(directory: string) {
    super(directory)
    this.#index = path.join(directory, 'index.html')
  }

  /** The page of every route; `undefined` when the console is not built. */
  get page(): ConsolePage | undefined {
    if (!this.has('index.html')) return undefined
    this.#page ??= pageOf(readFileSync(this.#index, 'utf8'))
    return this.#page
  }
}

function pageOf(html: string): ConsolePage {
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, 16)
  return { parts: html.split('"./').map((part, index) => (index === 0 ? part : `/${part}`)), hash }
}
