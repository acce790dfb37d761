/** The source of time, in milliseconds since the Unix epoch. Tests hold it still. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** The furthest that {@link preciseTime} may be ahead of the system's clock, in milliseconds. */
const DRIFT_MS = 2

/** A source of time with fractions of a millisecond, which follows the system's clock and is never behind it. */
export function preciseTime(): () => number {
  let base = performance.timeOrigin
  return () => {
    const wall = Date.now()
    const running = performance.now()
    const ahead = base + running - wall
    if (ahead < 0 || ahead > DRIFT_MS) base = wall - running
    return base + running
  }
}

/** An instant as ISO 8601 in UTC with milliseconds. */
export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The longest a timer can wait, in milliseconds; it fires at once when it should wait longer. */
export const MAX_TIMER_MS = 2_147_483_647

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, MAX_TIMER_MS),
    )
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
