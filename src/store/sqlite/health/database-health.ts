import fs from 'node:fs'
import type { AppError } from '../../../lib/errors.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction, rollBack } from '../transaction.ts'
import { databaseError } from './database-error.ts'

const PROBE_MS = 1000
/** How long a statement waits while another program has the database locked. */
export const BUSY_TIMEOUT_MS = 1000
/** The space that a disk needs to count as usable again after a failure. */
const SPACE_BYTES = 1024 * 1024

class NoSpace extends Error {
  override readonly name = 'NoSpace'
}

export function setBusyTimeout(database: Database, ms: number): void {
  database.exec(`PRAGMA busy_timeout = ${ms}`)
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
  /** A file that can't be opened is an error of the start. */
  readonly opened = Promise.resolve()
  readonly waits = false
  readonly #database: Database
  readonly #options: HealthOptions
  /** Why statements fail. */
  #failure: AppError | undefined
  /** The statements that failed last, and how to run them again. */
  readonly #failed = new Map<Statement, () => unknown>()
  /** Why the files are not the ones that were opened. */
  #lost: AppError | undefined
  #reported: AppError | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, options: HealthOptions) {
    this.#database = database
    this.#options = options
  }

  /** Why the database can't be used; `undefined` when it can. */
  get problem(): AppError | undefined {
    return this.#lost ?? this.#failure
  }

  /** @throws AppError `unavailable` when the files are lost: what is written now would be lost with them. */
  requireFiles(): void {
    if (this.#lost) throw this.#lost
  }

  /** Sets or clears the reason why writes are refused. */
  setLost(lost: AppError | undefined): void {
    this.#lost = lost
    this.#report()
  }

  /** The error to throw for one that the database threw. `retry` runs the failed statement again. */
  translate(
    error: unknown,
    failed?: { readonly statement: Statement; readonly retry: () => unknown },
  ): unknown {
    const failure = databaseError(error)
    if (!failure) return error
    this.#failure = failure
    if (failed) this.#failed.set(failed.statement, failed.retry)
    if (!this.#options.readOnly && !this.#timer) {
      // SQLite waits synchronously: with every attempt the server would not respond
      setBusyTimeout(this.#database, 0)
      this.#timer = setInterval(() => this.#probe(), PROBE_MS).unref()
    }
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
      this.#tryAgain()
      inTransaction(this.#database, () => this.#database.exec('UPDATE owner SET epoch = epoch'))
    } catch (error) {
      if (databaseError(error) || error instanceof NoSpace) return
      // it fails for another reason now
    }
    setBusyTimeout(this.#database, BUSY_TIMEOUT_MS)
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#failure = undefined
    this.#failed.clear()
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

  /**
   * Runs the failed statements, without keeping what they change. A statement that found the database locked stays
   * open until it is run again, and until then nothing can be committed.
   */
  #tryAgain(): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      for (const retry of this.#failed.values()) this.#attempt(retry)
    } finally {
      rollBack(this.#database)
    }
  }

  /** @throws only when the database still can't be used: in this transaction a statement may fail for other reasons. */
  #attempt(retry: () => unknown): void {
    try {
      retry()
    } catch (error) {
      if (databaseError(error)) throw error
    }
  }

  #report(): void {
    const { problem } = this
    if (problem?.message === this.#reported?.message) return
    this.#reported = problem
    this.#options.onHealth(problem)
  }
}
