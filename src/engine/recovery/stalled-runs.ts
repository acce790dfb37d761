import type { CommandDeps } from '../executions/live-runs.ts'
import { logTakeOvers, takeOver } from './take-over.ts'

/** Executions that are continued at the same time. */
const BATCH = 200
/** A database that refuses writes is soon tried again, and not asked all the time. */
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 30_000

/** The executions of this process whose last change the store failed to record. */
export class StalledRuns {
  readonly #deps: CommandDeps
  readonly #ids = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #retryMs = FIRST_RETRY_MS
  #stopped = false

  constructor(deps: CommandDeps) {
    this.#deps = deps
  }

  /** Continues them. Rejects when the store still fails. */
  async recover(): Promise<void> {
    const ids = [...this.#ids]
    const count = { recovered: 0, 'no workflow': 0, 'not now': 0 }
    for (let next = 0; next < ids.length && !this.#stopped; next += BATCH) {
      const batch = ids.slice(next, next + BATCH)
      await Promise.all(
        batch.map(async (id) => {
          const row = await this.#deps.store.executions.get(id)
          // it may never have been stored
          const result = row?.status === 'running' ? await takeOver(this.#deps, row) : undefined
          if (result) count[result]++
          if (!result || result === 'recovered') this.#ids.delete(id)
        }),
      )
    }
    logTakeOvers(this.#deps.logger, count)
  }

  /** Retries later, with increasing delays, until the store records the execution's changes. */
  add(id: string, cause: Error): void {
    this.#ids.add(id)
    this.#deps.logger.error({ err: cause, executionId: id }, 'An execution waits for the database')
    this.#retryLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #retryLater(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // until the database can be used, a recovered run would only fail again
      if (this.#deps.store.health.problem) return this.#retryLater()
      this.recover().then(
        () => (this.#retryMs = FIRST_RETRY_MS),
        (error: unknown) => {
          this.#deps.logger.error({ err: error }, 'The database still fails to store changes')
          this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
          this.#retryLater()
        },
      )
    }, this.#retryMs)
    this.#timer.unref()
  }
}
