import { andThen, createWorkflow } from 'agentserver'
import type { Client } from 'agentserver/client'
import { z } from 'zod'
import { RELAY_OPTIONS, sendMessage } from '../services/messages.ts'
import { waitingExpenses, withdraw, type WaitingExpense } from '../services/waiting.ts'
import { formatEuros } from './policy.ts'

const FollowUpInput = z.object({
  remindAfterHours: z.number().min(0).default(24),
  withdrawAfterHours: z
    .number()
    .min(0)
    .default(14 * 24),
})

const FollowUpResult = z.object({ withdrawn: z.array(z.string()), reminded: z.array(z.string()) })

/** Reminds approvers and withdraws old expenses. Run it from a timer such as cron. */
export const followUp = (client: Client) =>
  createWorkflow({
    id: 'follow-up',
    name: 'Follow-up',
    purpose: 'Remind approvers, and withdraw expenses without a decision',
    inputSchema: FollowUpInput,
    resultSchema: FollowUpResult,
  })
    .andThen({
      id: 'find',
      retries: 2,
      execute: () => waitingExpenses(client, new Date()),
    })
    .andAll({
      id: 'process',
      steps: [
        andThen({
          id: 'withdraw',
          execute: async ({ data, input }) => {
            const late = data.filter(({ hours }) => hours >= input.withdrawAfterHours)
            const reason = `No decision within ${input.withdrawAfterHours} hours`
            const done = await Promise.all(
              late.map(({ executionId }) => withdraw(client, executionId, reason)),
            )
            return idsOf(late.filter((_, index) => done[index]))
          },
        }),
        andThen({
          id: 'remind',
          ...RELAY_OPTIONS,
          execute: async ({ data, input, idempotencyKey, signal }) => {
            const due = data.filter(
              ({ hours }) => hours >= input.remindAfterHours && hours < input.withdrawAfterHours,
            )
            await Promise.all(
              due.map(({ executionId, approver, employee, totalCents }) => {
                const subject = `Reminder: ${employee} waits for ${formatEuros(totalCents)} (${executionId})`
                const key = `${idempotencyKey}:${executionId}`
                return sendMessage({ to: approver, subject, idempotencyKey: key }, signal)
              }),
            )
            return idsOf(due)
          },
        }),
      ],
    })
    .andThen({
      id: 'report',
      execute: ({ data: [withdrawn, reminded] }) => ({ withdrawn, reminded }),
    })

function idsOf(expenses: readonly WaitingExpense[]): string[] {
  return expenses.map(({ executionId }) => executionId)
}
