/** A source of time, in milliseconds since the Unix epoch. Tests replace it with a fixed time. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Maximum difference between {@link preciseTime} and the system clock, in milliseconds. */
const MAX_DRIFT_MS = 2

/**
 * A source of time with fractions of a millisecond. `performance.now()` does not follow corrections of the system
 * clock, so it is aligned with `Date.now()` when it is behind, or ahead by more than the maximum.
 */
export function preciseTime(): () => number {
  let base = performance.timeOrigin
  return () => {
    const wall = Date.now()
    const running = performance.now()
    const ahead = base + running - wall
    if (ahead < 0 || ahead > MAX_DRIFT_MS) base = wall - running
    return base + running
  }
}

/** A time in ISO 8601, in UTC with milliseconds. */
export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** Maximum delay of a timer, in milliseconds. Node fires timers with a longer delay immediately. */
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
