import { AppError } from '../lib/errors.ts'
import { delay } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'

const RETRY_MS = 250

/**
 * New work is refused while the database is away: it would wait for a time that nobody knows.
 *
 * @throws AppError `unavailable`
 */
export function requireDatabase({ health }: Pick<Store, 'health'>): void {
  if (health.waits && health.problem) throw health.problem
}

/** Whether work failed because the database is away, and can be repeated when it is back. */
export function isAway({ health }: Pick<Store, 'health'>, error: unknown): boolean {
  if (!health.waits) return false
  return health.problem !== undefined || (error instanceof AppError && error.code === 'unavailable')
}

/** Reads; while the database is away, work in progress waits for it as its changes do, until `signal` aborts. */
export async function whenAvailable<Value>(
  store: Pick<Store, 'health'>,
  read: () => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isAway(store, error) || signal.aborted) throw error
    }
    await delay(RETRY_MS, signal).catch(() => undefined)
  }
}
