import { ApiError, createClient } from 'agentserver/client'

/** Starts an expense, follows its events until it suspends, and approves it. */
export async function spend(baseUrl: string) {
  const expense = createClient({ baseUrl }).workflow('expense')

  for await (const event of expense.stream({ employee: 'Ada', amount: 250 })) {
    if (event.type !== 'workflow-suspended') continue
    return expense.execution(event.executionId).resume({ approvedBy: 'Grace' })
  }
  throw new Error('The expense did not suspend')
}

/** The status of the error response for an unknown workflow: 404. */
export async function statusOfUnknown(baseUrl: string) {
  const client = createClient({ baseUrl })
  try {
    await client.workflow('no-such-workflow').describe()
    return 200
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}
