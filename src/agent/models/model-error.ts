import { BudgetExceededError } from '../budgets/budget-exceeded-error.ts'
import { AppError } from '../../lib/errors.ts'
import type { AppErrorOptions, ErrorCode } from '../../lib/errors.ts'

type ModelErrorCode = Extract<ErrorCode, 'unavailable' | 'execution_failed' | 'invalid_config'>

const PUBLIC_MESSAGES: Readonly<Record<ModelErrorCode, string>> = {
  unavailable: 'The model provider is unavailable (503)',
  execution_failed: 'The model provider failed (500)',
  invalid_config: 'The model is not configured correctly (500)',
}

interface ModelErrorOptions extends AppErrorOptions {
  /** The message for callers in production. Default: a message for the code. */
  readonly publicMessage?: string
}

/**
 * An error of a model's provider or configuration. Its message is for the operator: it may contain words of the
 * provider and names of variables, but no keys.
 */
export class ModelError extends AppError {
  readonly #publicMessage: string

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(code, message, options)
    this.#publicMessage = options.publicMessage ?? PUBLIC_MESSAGES[code]
  }

  /** The error with the message for callers in production. */
  toPublic(): AppError {
    return new AppError(this.code, this.#publicMessage, { headers: this.headers })
  }
}

/** The error for callers: in production without the message for the operator, which is logged and traced. */
export function errorForCaller(error: unknown, production: boolean): unknown {
  const isForOperator = error instanceof ModelError || error instanceof BudgetExceededError
  return production && isForOperator ? error.toPublic() : error
}
