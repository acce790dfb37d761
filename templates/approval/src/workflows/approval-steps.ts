import { andThen, type Step, type StepContext } from 'agentserver'
import { RELAY_OPTIONS, sendMessage } from '../services/messages.ts'
import { ApprovalRequest, Decision, type Expense, type ExpenseInput, type Level } from './expense-data.ts'
import { approverOf, formatEuros, objectionTo } from './policy.ts'

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

/** Waits for a decision, without a time limit. */
export function decisionOf(level: Level): ExpenseStep {
  return andThen({
    id: `${level}-decision`,
    suspendSchema: ApprovalRequest,
    resumeSchema: Decision,
    // Runs first without resumeData, which suspends the execution, then once for each decision.
    execute: (context: StepContext<Expense, ExpenseInput, ApprovalRequest, Decision>): Expense => {
      const { data, resumeData, suspend } = context
      const { employee, purpose, totalCents, decisions } = data
      const request = { level, approver: approverOf(level, data), employee, purpose, totalCents }
      if (!resumeData) return suspend(`Waiting for approval by ${request.approver}`, request)
      const objection = objectionTo(resumeData.by, data)
      // A decision that is not allowed leaves the execution suspended.
      if (objection !== undefined) return suspend(objection, request)
      return { ...data, decisions: [...decisions, { ...resumeData, level }] }
    },
  })
}
