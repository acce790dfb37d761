/** A source of time, in milliseconds since the Unix epoch. Tests replace it with a fixed time. */
export interface Clock {
  now(): number
  /** Timers that follow this clock. Default: those of the system. */
  readonly timers?: ClockTimers
}

export interface TimerOptions {
  /** Whether a clock of a test may advance to its time when nothing else happens. */
  readonly skippable?: boolean
  /** Whether it ends work that takes too long. A clock of a test advances to its time when the work hangs. */
  readonly endsWork?: boolean
  /** Whether the process may end before. */
  readonly unref?: boolean
}

/** The timers of a clock that a test advances. */
export interface ClockTimers {
  /** As {@link startTimer}. */
  start(ms: number, callback: () => void, options: TimerOptions): () => void
  /** Something happens, until the returned function is called. */
  busy(): () => void
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

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

let lastIso = { at: Number.NaN, text: '' }

/** A time in ISO 8601, in UTC with milliseconds. Most texts are those of a time that was written just before. */
export function toIso(epochMs: number): string {
  if (lastIso.at !== epochMs) lastIso = { at: epochMs, text: new Date(epochMs).toISOString() }
  return lastIso.text
}

/** Maximum delay of a timer, in milliseconds. Node fires timers with a longer delay immediately. */
export const MAX_TIMER_MS = 2_147_483_647

/**
 * Calls back after `ms` milliseconds of a clock, unless the returned function is called before. `maxMs`: the longest
 * time after which the system's timer calls back, as it does not notice that the clock is set.
 */
export function startTimer(
  clock: Clock,
  ms: number,
  callback: () => void,
  { maxMs = MAX_TIMER_MS, ...options }: TimerOptions & { readonly maxMs?: number } = {},
): () => void {
  if (clock.timers) return clock.timers.start(ms, callback, options)
  const timer = setTimeout(callback, Math.min(ms, maxMs))
  if (options.unref) timer.unref()
  return () => clearTimeout(timer)
}

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
