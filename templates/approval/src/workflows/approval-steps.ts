import { andDoUntil, andThen, type Step, type StepContext } from 'agentserver'
import { RELAY_OPTIONS, sendMessage } from '../services/messages.ts'
import { ApprovalRequest, Decision, type Expense, type ExpenseInput, type Level } from './expense-data.ts'
import { approverOf, formatEuros, lapsed, MAX_REMINDERS, objectionTo, REMIND_AFTER } from './policy.ts'

type ExpenseStep = Step<ExpenseInput, Expense, Expense>

/** Notifies the approver. Each attempt has the same key, so that only one message is sent. */
export function mailTo(level: Level): ExpenseStep {
  return andThen({
    id: `mail-${level}`,
    ...RELAY_OPTIONS,
    execute: async ({ data, idempotencyKey, signal }: StepContext<Expense, ExpenseInput>) => {
      const subject = `${data.employee} requests ${formatEuros(data.totalCents)}: ${data.purpose}`
      await sendMessage({ to: approverOf(level, data), subject, idempotencyKey }, signal)
      return data
    },
  })
}

/**
 * Waits for a decision. The approver is reminded when there is none in time; after the last reminder, the expense is
 * rejected. Each wait is one round of the loop.
 */
export function decisionOf(level: Level): ExpenseStep {
  return andDoUntil({
    id: `${level}-decision`,
    condition: ({ data }) => data.decisions.some((decision) => decision.level === level),
    step: andThen({
      id: `${level}-wait`,
      suspendSchema: ApprovalRequest,
      resumeSchema: Decision,
      suspendTimeout: REMIND_AFTER,
      ...RELAY_OPTIONS,
      // Runs first without resumeData, which suspends the execution, then once for each decision or time-out.
      execute: async (context: StepContext<Expense, ExpenseInput, ApprovalRequest, Decision>) => {
        const { data, resumeData, timedOut, index, idempotencyKey, signal, suspend } = context
        const { employee, purpose, totalCents, decisions } = data
        const approver = approverOf(level, data)
        if (timedOut && index >= MAX_REMINDERS)
          return { ...data, decisions: [...decisions, { ...lapsed(approver), level }] }
        if (timedOut) {
          const subject = `Reminder: ${employee} waits for ${formatEuros(totalCents)}`
          await sendMessage({ to: approver, subject, idempotencyKey }, signal)
          return data
        }
        const request = { level, approver, employee, purpose, totalCents }
        if (!resumeData) return suspend(`Waiting for approval by ${approver}`, request)
        const objection = objectionTo(resumeData.by, data)
        // A decision that is not allowed leaves the execution suspended.
        if (objection !== undefined) return suspend(objection, request)
        return { ...data, decisions: [...decisions, { ...resumeData, level }] }
      },
    }),
  })
}
