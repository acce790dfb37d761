import type { Logger } from 'pino'
import { AppError, messageOf } from '../../../lib/errors.ts'
import { isConnectionError } from '../connection/connection-error.ts'

/**
 * Logs failures of work in the background, each kind of work once until it succeeds again. That the database can't be
 * reached is reported by the health of the store.
 */
export class OutageLog {
  readonly #logger: Pick<Logger, 'warn'>
  readonly #failing = new Set<string>()

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger
  }

  failed(work: string, error: unknown): void {
    if (isOutage(error) || this.#failing.has(work)) return
    this.#failing.add(work)
    this.#logger.warn({ err: error }, `Postgres: ${work} failed: ${messageOf(error)}`)
  }

  ended(work: string): void {
    this.#failing.delete(work)
  }
}

function isOutage(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof AppError && error.code === 'unavailable')
}
