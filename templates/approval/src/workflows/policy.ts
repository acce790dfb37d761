import type { Expense, Level } from './expense-data.ts'

/** Above this total, finance must approve too. */
const FINANCE_LIMIT_CENTS = 100_000

const FINANCE = 'finance@example.com'

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function formatEuros(cents: number): string {
  return euros.format(cents / 100)
}

export function approverOf(level: Level, { manager }: Expense): string {
  return level === 'manager' ? manager : FINANCE
}

export function isApproved({ decisions }: Expense): boolean {
  return decisions.every(({ approved }) => approved)
}

export function needsFinance(expense: Expense): boolean {
  return isApproved(expense) && expense.totalCents > FINANCE_LIMIT_CENTS
}

/** The reason that a decision of `by` is not allowed, or `undefined`. */
export function objectionTo(by: string, { employee, decisions }: Expense): string | undefined {
  if (by === employee) return `${by} can't decide on their own expense`
  if (decisions.some((decision) => decision.by === by))
    return `${by} has already decided; a different person must decide`
  return undefined
}
