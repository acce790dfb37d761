/** What came out of looking at one thing. */
export interface Check {
  /** What was looked at. */
  readonly id: string
  /** An error keeps the project from running; a warning is worth knowing. */
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  /** What to do about it. */
  readonly advice?: string
}

type Outcome = (id: string, message: string, advice: string) => Check

export const ok = (id: string, message: string): Check => ({ id, status: 'ok', message })
export const warning: Outcome = (id, message, advice) => ({ id, status: 'warning', message, advice })
export const failure: Outcome = (id, message, advice) => ({ id, status: 'error', message, advice })
