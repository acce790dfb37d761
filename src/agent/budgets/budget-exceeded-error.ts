import { AppError } from '../../lib/errors.ts'

interface Exceeded {
  /** Seconds after which a call of this size fits again, if any. */
  readonly retryAfterS?: number | undefined
}

/**
 * A model call would exceed a budget whose `onLimit` is `fail`. Over HTTP it is a 429, with `Retry-After` for a budget with
 * `every`. A step that fails with it is not retried.
 *
 * @example
 * onError: ({ error }) => (error?.name === 'BudgetExceededError' ? notifyFinance(error.message) : undefined)
 */
export class BudgetExceededError extends AppError {
  override readonly name = 'BudgetExceededError'
  /** Seconds after which a call of this size fits again; `undefined` when none does. */
  readonly retryAfterS: number | undefined

  /** @param message for the operator: it may say what others have used. */
  constructor(message: string, { retryAfterS }: Exceeded = {}) {
    const headers = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }
    super('budget_exceeded', message, { headers })
    this.retryAfterS = retryAfterS
  }

  /** The error with the message for callers in production. */
  toPublic(): BudgetExceededError {
    const { retryAfterS } = this
    const when = retryAfterS === undefined ? '' : `; try again in ${retryAfterS} s`
    return new BudgetExceededError(`The budget for this request is used up${when}`, { retryAfterS })
  }
}
