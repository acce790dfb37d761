import { createClient } from 'agentserver/client'

// #region client
export async function approve(baseUrl: string, expenseId: string) {
  const client = createClient({ baseUrl })
  const expense = client.workflow('expense')

  const options = { executionId: expenseId }
  const started = await expense.start({ expenseId }, options)
  await started.settled()

  const { result } = await started.resume({ approved: true })
  return result
}
// #endregion
