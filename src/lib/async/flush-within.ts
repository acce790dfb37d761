import { delay } from '../clock.ts'

/**
 * Waits until what is queued is stored, for a limited time: it takes long under heavy load, and as long as the database is
 * away.
 */
export async function flushWithin(ms: number, flush: () => Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([flush(), delay(ms, timer.signal).catch(() => undefined)])
  timer.abort()
}
