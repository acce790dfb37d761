/** The result of one check. */
export interface Check {
  /** The subject, such as `node` or `database`. */
  readonly id: string
  /** An error prevents the project from running; a warning does not. */
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  /** How to fix it. */
  readonly advice?: string
}

type CreateCheck = (id: string, message: string, advice: string) => Check

export const ok = (id: string, message: string): Check => ({ id, status: 'ok', message })
export const warning: CreateCheck = (id, message, advice) => ({ id, status: 'warning', message, advice })
export const failure: CreateCheck = (id, message, advice) => ({ id, status: 'error', message, advice })
