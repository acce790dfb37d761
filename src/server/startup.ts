import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ServerConfig } from '../config/config.ts'
import { isAway } from '../engine/database-outage.ts'
import { AppError } from '../lib/errors.ts'
import type { OpenEngine } from './open-engine.ts'

const RETRY_MS = 1000

export interface StartupOptions {
  readonly open: (config: ServerConfig) => Promise<OpenEngine>
  /** Starts the engine and what depends on the database. Each part may be repeated after a failure. */
  readonly start: (opened: OpenEngine) => Promise<void>
  /** Whether a start that the database interrupts is repeated when it can be used again. */
  readonly retry: boolean
  readonly logger: Logger
  readonly isStopping: () => boolean
}

/** Opens the database once, and starts the engine when the database can be used: at once, or as soon as it is there. */
export class Startup {
  readonly #options: StartupOptions
  #opening: Promise<OpenEngine> | undefined
  #opened: OpenEngine | undefined
  #starting: Promise<void> | undefined
  #isDone = false

  constructor(options: StartupOptions) {
    this.#options = options
  }

  get opened(): OpenEngine | undefined {
    return this.#opened
  }

  /** Whether the engine has been started. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** @throws AppError `unavailable` when the database can't be used or the engine has not been started. */
  requireDone(): void {
    const problem = this.#opened?.store.health.problem
    if (problem) throw problem
    if (!this.#isDone) throw new AppError('unavailable', this.#progress())
  }

  /**
   * Opens the database with the first configuration. It stays open until the server stops.
   *
   * @throws AppError when it can't be opened; the next call tries again.
   */
  async open(config: ServerConfig): Promise<OpenEngine> {
    this.#opening ??= this.#options.open(config)
    try {
      this.#opened = await this.#opening
    } catch (error) {
      this.#opening = undefined
      throw error
    }
    return this.#opened
  }

  /** Resolves when the engine has been started, or when the database can't be used: it is started later then. */
  start(opened: OpenEngine): Promise<void> {
    this.#starting ??= this.#startOrWait(opened)
    return this.#starting
  }

  /** Resolves when the database is not being opened any more. */
  async settled(): Promise<OpenEngine | undefined> {
    return this.#opening?.catch(() => undefined)
  }

  /** Closes a database that is away: what waits for it would keep the server from stopping. */
  async giveUp(): Promise<void> {
    const store = this.#opened?.store
    if (store?.health.waits && store.health.problem) await store.close()
  }

  #progress(): string {
    const { takingOver } = this.#opened?.store.dispatcher ?? {}
    if (!takingOver) return 'Not ready'
    const [done, total] = [takingOver.done, takingOver.total].map((count) => count.toLocaleString('en-US'))
    return `recovering ${done} of ${total}`
  }

  async #startOrWait(opened: OpenEngine): Promise<void> {
    const { store } = opened
    if (store.health.problem) return void this.#later(opened)
    try {
      await this.#start(opened)
    } catch (error) {
      if (!this.#options.retry || !isAway(store, error)) throw error
      this.#report(store, error)
      void this.#later(opened)
    }
  }

  /** That the database is away is reported by its health. */
  #report({ health }: OpenEngine['store'], err: unknown): void {
    if (!health.problem)
      this.#options.logger.error({ err }, 'The start of the server failed, and is repeated')
  }

  async #start(opened: OpenEngine): Promise<void> {
    await this.#options.start(opened)
    this.#isDone = true
  }

  async #later(opened: OpenEngine): Promise<void> {
    const { isStopping } = this.#options
    const { store } = opened
    await store.health.opened
    while (!isStopping() && !this.#isDone) {
      try {
        await this.#start(opened)
      } catch (err) {
        this.#report(store, err)
        await delay(RETRY_MS, undefined, { ref: false })
      }
    }
  }
}
