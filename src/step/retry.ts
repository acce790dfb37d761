/**
 * The retry policy of a step. A number `n` means n retries after the first attempt, with delays of 1 s, 2 s, 4 s and
 * so on, at most 30 s.
 */
export type Retries =
  | number
  | {
      /** The number of retries after the first attempt. */
      readonly limit: number
      /** The delay before the first retry, in milliseconds. Default: 1000. */
      readonly delayMs?: number
      /** The factor of each further delay. Default: 2. */
      readonly factor?: number
      /** The maximum delay, in milliseconds. Default: 30,000. */
      readonly maxDelayMs?: number
      /** The random share of each delay, from 0 to 1. Default: 0. */
      readonly jitter?: number
    }

export interface RetryPolicy {
  readonly limit: number
  readonly delayMs: number
  readonly factor: number
  readonly maxDelayMs: number
  readonly jitter: number
}

/** No retries: those that nobody configured would repeat effects. A second covers restarts of services, 30 s keeps recovery prompt. */
const DEFAULTS: RetryPolicy = { limit: 0, delayMs: 1000, factor: 2, maxDelayMs: 30_000, jitter: 0 }

/** The policy of a retry declaration, with defaults. */
export function retryPolicy(retries: Retries | undefined): RetryPolicy {
  if (retries === undefined) return DEFAULTS
  if (typeof retries === 'number') return { ...DEFAULTS, limit: retries }
  return { ...DEFAULTS, ...retries }
}

/** The delay in milliseconds before retry number `retry` (1 is the first). `random` is in [0, 1). */
export function retryDelay(policy: RetryPolicy, retry: number, random: number): number {
  // the power may be Infinity, and 0 * Infinity is NaN
  const growth = Math.min(policy.factor ** (retry - 1), Number.MAX_VALUE)
  const delay = Math.min(policy.delayMs * growth, policy.maxDelayMs)
  return Math.round(delay * (1 - policy.jitter * random))
}

/** A problem text when a retry declaration is invalid. */
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

/**
 * Fails a step without further retries when it is thrown.
 *
 * @example
 * if (response.status === 404) throw new NonRetryableError('Order not found')
 */
export class NonRetryableError extends Error {
  /** Name of the error. */
  override readonly name: string = 'NonRetryableError'
}
