/**
 * How often and how soon a failed step is tried again. A number `n` means n retries after the first attempt,
 * one second apart at first and twice as long each time, at most 30 seconds.
 */
export type Retries =
  | number
  | {
      /** Retries after the first attempt. */
      readonly limit: number
      /** Milliseconds before the first retry. Default 1000. */
      readonly delayMs?: number
      /** What each further delay is multiplied by. Default 2. */
      readonly factor?: number
      /** The longest delay in milliseconds. Default 30000. */
      readonly maxDelayMs?: number
      /** Share of the delay that is random, 0 to 1. Default 0. */
      readonly jitter?: number
    }

export interface RetryPolicy {
  readonly limit: number
  readonly delayMs: number
  readonly factor: number
  readonly maxDelayMs: number
  readonly jitter: number
}

const DEFAULTS: RetryPolicy = { limit: 0, delayMs: 1000, factor: 2, maxDelayMs: 30_000, jitter: 0 }

/** Fills in the defaults of a retry declaration. */
export function retryPolicy(retries: Retries | undefined): RetryPolicy {
  if (retries === undefined) return DEFAULTS
  if (typeof retries === 'number') return { ...DEFAULTS, limit: retries }
  return { ...DEFAULTS, ...retries }
}

/** Milliseconds to wait before retry number `retry` (1 is the first). `random` is in [0, 1). */
export function retryDelay(policy: RetryPolicy, retry: number, random: number): number {
  // the factor's power outgrows what a number can hold, and nothing times infinity is no number
  const growth = Math.min(policy.factor ** (retry - 1), Number.MAX_VALUE)
  const delay = Math.min(policy.delayMs * growth, policy.maxDelayMs)
  return Math.round(delay * (1 - policy.jitter * random))
}

/** What is wrong with a retry declaration, if anything. */
export function retryProblem(retries: unknown): string | undefined {
  const policy = typeof retries === 'number' ? { limit: retries } : retries
  if (typeof policy !== 'object' || policy === null) return 'retries must be a number or an object'
  const values = policy as Record<string, unknown>
  const limit = values['limit']
  if (!Number.isInteger(limit) || (limit as number) < 0) return 'retries must be a whole number of 0 or more'
  for (const name of ['delayMs', 'factor', 'maxDelayMs', 'jitter']) {
    const value = values[name]
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && Number.isFinite(value)))
      return `retries.${name} must be a number of 0 or more`
  }
  if (((values['jitter'] as number | undefined) ?? 0) > 1) return 'retries.jitter must be between 0 and 1'
  return undefined
}

/** Thrown by a step to fail at once, whatever retries it has left. */
export class NonRetryableError extends Error {
  override readonly name: string = 'NonRetryableError'
}
