import { andTap, andThen, andWhen, createWorkflow, NonRetryableError } from 'agentserver'
import { RELAY_OPTIONS, sendMessage } from '../services/messages.ts'
import { transfer } from '../services/transfers.ts'
import { decisionOf, mailTo } from './approval-steps.ts'
import { type Expense, ExpenseInput, ExpenseResult } from './expense-data.ts'
import { formatEuros, isApproved, needsFinance } from './policy.ts'

export const expense = createWorkflow(
  {
    id: 'expense',
    name: 'Expense',
    purpose: 'Reimburse an expense of an employee after its approval',
    inputSchema: ExpenseInput,
    resultSchema: ExpenseResult,
    examples: [
      {
        employee: 'ada@example.com',
        manager: 'grace@example.com',
        purpose: 'Train to Berlin',
        items: [{ what: 'Ticket', cents: 12_990 }],
      },
    ],
  },
  andThen({
    id: 'check',
    execute: ({ data }): Expense => {
      if (data.manager === data.employee)
        throw new NonRetryableError(`${data.employee} can't be their own manager`)
      return { ...data, totalCents: data.items.reduce((sum, { cents }) => sum + cents, 0), decisions: [] }
    },
  }),
  mailTo('manager'),
  decisionOf('manager'),
  andWhen({ id: 'notify-finance', condition: ({ data }) => needsFinance(data), step: mailTo('finance') }),
  andWhen({ id: 'finance', condition: ({ data }) => needsFinance(data), step: decisionOf('finance') }),
  andWhen({
    id: 'payment',
    condition: ({ data }) => isApproved(data),
    step: andThen({
      id: 'transfer',
      retries: { limit: 3, delayMs: 20 },
      timeoutMs: 5000,
      // The key is the same for every attempt, so a retry never pays twice.
      execute: async ({ data, idempotencyKey, signal }): Promise<Expense> => {
        const order = { to: data.employee, cents: data.totalCents, idempotencyKey }
        return { ...data, transferId: await transfer(order, signal) }
      },
    }),
  }),
  andThen({
    id: 'close',
    execute: ({ data }) => ({
      status: data.transferId === undefined ? ('rejected' as const) : ('paid' as const),
      totalCents: data.totalCents,
      transferId: data.transferId ?? null,
      decidedBy: data.decisions.map(({ by }) => by),
      reason: data.decisions.find(({ approved }) => !approved)?.comment ?? null,
    }),
  }),
  andTap({
    id: 'inform',
    purpose: 'Notify the employee; a failure does not affect the payment',
    ...RELAY_OPTIONS,
    execute: async ({ data, input, idempotencyKey, signal }) => {
      const { status, totalCents, reason } = data
      const subject = `${formatEuros(totalCents)} for ${input.purpose}: ${status}${reason === null ? '' : `, ${reason}`}`
      await sendMessage({ to: input.employee, subject, idempotencyKey }, signal)
    },
  }),
)
