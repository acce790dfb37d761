import type { Decision, Expense, Level } from './expense-data.ts'

/** Above this total, finance must approve too. */
const FINANCE_LIMIT_CENTS = 100_000

const FINANCE = 'finance@example.com'

/** How long an approver has until a reminder. */
export const REMIND_AFTER = '3d'

/** Without a decision after this number of reminders, the expense is rejected. */
export const MAX_REMINDERS = 3

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function formatEuros(cents: number): string {
  return euros.format(cents / 100)
}

/** The decision for an approver who did not decide in time. */
export function lapsed(approver: string): Decision {
  return {
    approved: false,
    by: approver,
    comment: `No decision by ${approver} after ${MAX_REMINDERS} reminders`,
  }
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
