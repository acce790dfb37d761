import { createDeferred } from '../../../lib/async/wake-up.ts'
import type { Deferred } from '../../../lib/async/wake-up.ts'
import { AppError } from '../../../lib/errors.ts'
import { DatabaseSetupError, publicProblem } from './connection-error.ts'

const MIN_DELAY_MS = 250
const MAX_DELAY_MS = 1000
/** For problems that somebody has to solve, such as a missing right. */
const SETUP_DELAY_MS = 5000

export interface PostgresHealthOptions {
  /** Resolves if the database can be used. Rejects with the AppError to report. */
  readonly probe: () => Promise<void>
  readonly onHealth: (problem: AppError | undefined) => void
  /** In [0, 1). */
  readonly random?: () => number
}

/** Whether the database can be used. While it can't, it is tried again at random intervals of up to a second. */
export class PostgresHealth {
  readonly #options: PostgresHealthOptions
  #problem: AppError | undefined
  #timer: NodeJS.Timeout | undefined
  #probing: Promise<void> | undefined
  #closed = false
  #usable: Deferred<void> | undefined
  readonly #opened = createDeferred<void>()

  constructor(options: PostgresHealthOptions) {
    this.#options = options
  }

  /** Why the database can't be used; `undefined` when it can. */
  get problem(): AppError | undefined {
    return this.#problem
  }

  /** The same without the database, its host and port, for callers of the API. */
  get publicProblem(): AppError | undefined {
    return this.#problem && publicProblem(this.#problem)
  }

  /** Resolves when the database can be used for the first time. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Resolves when the database can be used, or is tried no more. */
  async usable(): Promise<void> {
    if (!this.#problem || this.#closed) return
    this.#usable ??= createDeferred<void>()
    await this.#usable.promise
  }

  /** @throws AppError while the database can't be used. */
  require(): void {
    if (this.#problem) throw publicProblem(this.#problem)
  }

  /** The database has been tried, and can be used. */
  succeeded(): void {
    this.#set(undefined)
    this.#opened.resolve()
    this.#usable?.resolve()
    this.#usable = undefined
  }

  /** A connection has failed. */
  failed(problem: AppError): void {
    this.#set(problem)
    this.suspect()
  }

  /** A connection that was not in use has ended: finds out whether others can be opened. */
  suspect(): void {
    if (!this.#timer) this.#startProbe()
  }

  /** Resolves when the database is not being tried any more. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#usable?.resolve()
    await this.#probing
  }

  #startProbe(): void {
    if (this.#closed) return
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
  }

  async #probe(): Promise<void> {
    try {
      await this.#options.probe()
      this.succeeded()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#set(error)
      this.#probeLater(error)
    }
  }

  #probeLater(problem: AppError): void {
    if (this.#closed) return
    const { random = Math.random } = this.#options
    const delay = MIN_DELAY_MS + random() * (MAX_DELAY_MS - MIN_DELAY_MS)
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#startProbe()
      },
      problem instanceof DatabaseSetupError ? SETUP_DELAY_MS : delay,
    )
  }

  /** Reports the first problem of an outage, and its end. What fails next in it, such as "starting up", is no news. */
  #set(problem: AppError | undefined): void {
    if (this.#closed) return
    const before = this.#problem
    this.#problem = problem
    const isNews =
      problem instanceof DatabaseSetupError
        ? problem.message !== before?.message
        : (problem === undefined) !== (before === undefined)
    if (isNews) this.#options.onHealth(problem)
  }
}
