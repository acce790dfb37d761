import fs from 'node:fs'
import type { AppError } from '../../../lib/errors.ts'
import type { Database } from '../driver.ts'
import { inTransaction, rollBack } from '../transaction.ts'
import { databaseError } from './database-error.ts'

const PROBE_MS = 1000
/** The space that a disk needs to count as usable again after a failure. */
const SPACE_BYTES = 1024 * 1024

class NoSpace extends Error {
  override readonly name = 'NoSpace'
}

interface HealthOptions {
  readonly file: string
  readonly readOnly: boolean
  readonly onHealth: (problem: AppError | undefined) => void
}

/**
 * Whether a database can be used. After a statement has failed because the disk is full, a page is damaged or the
 * like, it is tried each second until it succeeds.
 */
export class DatabaseHealth {
  readonly #database: Database
  readonly #options: HealthOptions
  /** Why statements fail. */
  #failure: AppError | undefined
  #retry: (() => void) | undefined
  /** Why the files are not the ones that were opened. */
  readonly #lost = new Map<'data' | 'lock', AppError>()
  #reported: AppError | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, options: HealthOptions) {
    this.#database = database
    this.#options = options
  }

  /** Why the database can't be used; `undefined` when it can. */
  get problem(): AppError | undefined {
    return this.#lost.get('data') ?? this.#lost.get('lock') ?? this.#failure
  }

  /** @throws AppError `unavailable` when the files are lost: what is written now would be lost with them. */
  requireFiles(): void {
    if (this.#lost.size > 0) throw this.problem
  }

  /** Sets or clears the reason why writes are refused. */
  setLost(files: 'data' | 'lock', lost: AppError | undefined): void {
    if (lost) this.#lost.set(files, lost)
    else this.#lost.delete(files)
    this.#report()
  }

  /** The error to throw for one that the database threw. `retry` runs the failed statement again. */
  translate(error: unknown, retry?: () => void): unknown {
    const failure = databaseError(error)
    if (!failure) return error
    this.#failure = failure
    this.#retry = retry ?? this.#retry
    if (!this.#options.readOnly) this.#timer ??= setInterval(() => this.#probe(), PROBE_MS).unref()
    this.#report()
    return failure
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #probe(): void {
    try {
      this.#requireSpace()
      // a damaged page is read again, and not taken from memory
      this.#database.exec('PRAGMA shrink_memory')
      inTransaction(this.#database, () => this.#database.exec('UPDATE owner SET epoch = epoch'))
      this.#tryAgain()
    } catch (error) {
      if (databaseError(error) || error instanceof NoSpace) return
      // it fails for another reason now
    }
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#failure = undefined
    this.#retry = undefined
    this.#report()
  }

  /** On a disk that is almost full, a small write succeeds and the next larger one fails. */
  #requireSpace(): void {
    const { file } = this.#options
    if (file === ':memory:') return
    const probe = `${file}-probe`
    try {
      fs.writeFileSync(probe, Buffer.alloc(SPACE_BYTES), { mode: 0o600 })
    } catch (cause) {
      throw new NoSpace('The disk has no space', { cause })
    } finally {
      fs.rmSync(probe, { force: true })
    }
  }

  /** Runs the failed statement, without keeping what it changes. */
  #tryAgain(): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      this.#retry?.()
    } finally {
      rollBack(this.#database)
    }
  }

  #report(): void {
    const { problem } = this
    if (problem?.message === this.#reported?.message) return
    this.#reported = problem
    this.#options.onHealth(problem)
  }
}
