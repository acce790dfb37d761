import { createWorkflow } from 'agentserver'
import { z } from 'zod'

// #region expense
export const expense = createWorkflow({
  id: 'expense',
  inputSchema: z.object({ expenseId: z.string() }),
  run: async ({ input: { expenseId }, step }) => {
    await step.run('create', () => createExpense(expenseId), {
      retries: { limit: 3, delayMs: 1000 },
      timeoutMs: 300_000,
    })
    const decision = await step.suspend('approve', {
      reason: `Approve expense ${expenseId}`,
      resumeSchema: z.object({ approved: z.boolean() }),
      timeout: '10s',
      onTimeout: 'continue',
    })
    if ('timedOut' in decision) return { status: 'TIMED_OUT' }
    if (!decision.approved) return { status: 'REJECTED' }
    await step.run('pay', ({ idempotencyKey }) =>
      payment(expenseId, idempotencyKey),
    )
    return { status: 'COMPLETED' }
  },
})
// #endregion

const createExpense = async (expenseId: string) => ({ expenseId })
const payment = async (expenseId: string, key: string) => ({
  expenseId,
  key,
})
