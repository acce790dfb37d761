import { createClient } from 'agentserver/client'

// #region client
export async function approve(baseUrl: string, expenseId: string) {
  const client = createClient({ baseUrl })

  const { executionId } = await client.executeWorkflow({
    params: { id: 'expense' },
    body: {
      input: { expenseId },
      options: { executionId: expenseId },
    },
  })

  const { result } = await client.resumeExecution({
    params: { id: 'expense', executionId },
    body: { resumeData: { approved: true } },
  })
  return result
}
// #endregion
