import fs from 'node:fs'
import path from 'node:path'
import { byteSize } from '../../../lib/byte-size.ts'
import { messageOf } from '../../../lib/errors.ts'
import { renameOver } from '../../../lib/files/rename-over.ts'
import type { StoreLogger } from '../../store-logger.ts'
import type { Database } from '../driver.ts'
import { draftOf, removeDraft, syncToDisk } from './draft-file.ts'

/** After a failed attempt, such as one on a full disk. */
const AGAIN_MS = 60_000

const SUFFIX = '.rescued-'

/**
 * The copy of a database whose file was deleted or replaced under its server. The open handle still has all that was
 * committed; when the process ends, it is gone.
 */
export class RescueCopy {
  readonly #database: Database
  readonly #file: string
  readonly #logger: StoreLogger
  #written: string | undefined
  #failure: string | undefined
  #againAt = 0

  constructor(database: Database, file: string, logger: StoreLogger) {
    this.#database = database
    this.#file = file
    this.#logger = logger
  }

  /** How to continue, for people. */
  get advice(): string {
    if (this.#written !== undefined)
      return `Its state is in ${this.#written}. Put the file back, or stop the server and run: agentserver restore ${this.#written}`
    const copying = 'The server is the only one that still has its state, and copies it now'
    return this.#failure === undefined
      ? copying
      : `Do not stop the server: it is the only one that still has the state, and could not copy it (${this.#failure}). It tries again each minute`
  }

  /** Writes the copy, once. SQLite blocks the thread meanwhile: nothing can be written anyway. */
  write(): void {
    if (this.#written !== undefined || performance.now() < this.#againAt) return
    const started = performance.now()
    try {
      const copy = this.#copy()
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      this.#written = copy
      this.#logger.warn(
        `Wrote the state of the database to ${copy} (${byteSize(fs.statSync(copy).size)}, ${seconds} s). ${this.advice}`,
      )
    } catch (error) {
      this.#failure = messageOf(error)
      this.#againAt = performance.now() + AGAIN_MS
      this.#logger.warn({ err: error }, this.advice)
    }
  }

  /** The file is back: a later loss gets a copy of its own. */
  forget(): void {
    this.#written = undefined
    this.#failure = undefined
    this.#againAt = 0
  }

  /** Beside the database, or above its directory if that was deleted, too. */
  #copy(): string {
    let directory = path.dirname(this.#file)
    while (!fs.existsSync(directory)) directory = path.dirname(directory)
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
    const copy = path.join(directory, `${path.basename(this.#file)}${SUFFIX}${time}`)
    const draft = draftOf(path.join(directory, `${path.basename(this.#file)}.rescued`))
    try {
      fs.closeSync(fs.openSync(draft, 'wx', 0o600))
      this.#database.prepare('VACUUM INTO ?').run(draft)
      syncToDisk(draft)
      renameOver(draft, copy)
      syncToDisk(directory)
    } finally {
      removeDraft(draft)
    }
    return copy
  }
}

/** The newest copy that a server has written of a lost database. */
export function newestRescueCopy(database: string): string | undefined {
  const directory = path.dirname(database)
  if (!fs.existsSync(directory)) return undefined
  const start = `${path.basename(database)}${SUFFIX}`
  const copies = fs
    .readdirSync(directory)
    .filter((name) => name.startsWith(start) && name.endsWith('Z'))
    .toSorted()
  const newest = copies.at(-1)
  return newest === undefined ? undefined : path.join(directory, newest)
}
